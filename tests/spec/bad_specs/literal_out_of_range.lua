-- expect: :2: identity: 256 is out of the range of u8
return scan { monoid = monoid { type = u8, identity = 256, combine = function(a, b) return a + b end } }
