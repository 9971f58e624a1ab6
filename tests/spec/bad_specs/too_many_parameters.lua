-- expect: map takes at most 2 values, this function wants 3
return scan { monoid = sum(u32), map = function(x, i, y) return x end }
