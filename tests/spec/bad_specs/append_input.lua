-- expect: :2: append: input is missing; give the type of its elements
return append { length = function(x) return 1 end, item = function(x) return x end }
