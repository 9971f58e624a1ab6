-- expect: :2: u32(x) takes one value, not 2
return scan { monoid = sum(u32), map = function(x) return u32(x, 1) end }
