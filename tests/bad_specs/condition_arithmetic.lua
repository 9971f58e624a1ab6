-- expect: a condition and a number .. where(c, 1, 0)
return scan { monoid = sum(u32), map = function(x) return x + lt(x, 3) end }
