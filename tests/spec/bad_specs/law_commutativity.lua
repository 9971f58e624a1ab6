-- expect: commutative = true claims .. fails for a = 
return scan { monoid = monoid { type = u32, identity = 0, commutative = true, combine = function(a, b) return where(eq(b, 0), a, b) end } }
