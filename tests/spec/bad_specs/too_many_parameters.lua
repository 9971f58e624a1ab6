-- expect: map takes at most 3 values, this function wants 4
return scan { monoid = sum(u32), map = function(x, i, near, y) return x end }
