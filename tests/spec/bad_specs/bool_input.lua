-- expect: :2: scan: input: bool has no place in memory
return scan { monoid = sum(u32), input = bool, map = function(x) return u32(x) end }
