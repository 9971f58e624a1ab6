-- expect: :2: u32 + bool: a condition and a number; .. u32(c)
return scan { monoid = sum(u32), map = function(x) return x + lt(x, 3) end }
