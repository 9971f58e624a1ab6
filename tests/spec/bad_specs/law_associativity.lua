-- expect: combine(combine(a, b), c) == combine(a, combine(b, c)) fails for a = 
return scan { monoid = monoid { name = "average", type = f32, identity = 0, combine = function(a, b) return where(eq(a, 0), b, where(eq(b, 0), a, (a + b) / 2)) end } }
