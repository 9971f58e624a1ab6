-- expect: :2: commutative is true or false, not a string
return scan { monoid = monoid { type = u32, identity = 0, commutative = "yes", combine = function(a, b) return a + b end } }
