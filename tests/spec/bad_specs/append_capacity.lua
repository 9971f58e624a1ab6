-- expect: :2: append: capacity is 0; give a whole number from 1 to 2147483647, or none for n
return append { input = u32, length = function(x) return x end, item = function(x) return x end, capacity = 0 }
