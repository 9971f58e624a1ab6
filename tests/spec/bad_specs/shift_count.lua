-- expect: u32 << 32: the count must be 0 to 31
return scan { monoid = sum(u32), map = function(x) return x << 32 end }
