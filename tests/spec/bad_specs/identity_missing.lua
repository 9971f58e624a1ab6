-- expect: :2: monoid: identity is missing
return scan { monoid = monoid { type = u32, combine = function(a, b) return a + b end } }
