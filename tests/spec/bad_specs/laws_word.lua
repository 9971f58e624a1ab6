-- expect: laws is "trusted" or "strict"
return scan { monoid = monoid { type = u32, identity = 0, laws = "none", combine = function(a, b) return a + b end } }
