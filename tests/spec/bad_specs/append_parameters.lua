-- expect: :2: item takes at most 3 values, this function wants 4
return append { input = u32, length = function(x) return x end, item = function(x, i, k, l) return x end }
