-- expect: 'a == b' cannot be traced .. eq(a, b)
return scan { monoid = monoid { type = u32, identity = 0, combine = function(a, b) return where(a == b, a, b) end } }
