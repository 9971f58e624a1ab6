-- expect: :2: length takes at most 2 values, this function wants 3
return append { input = u32, length = function(x, i, near) return x end, item = function(x) return x end }
