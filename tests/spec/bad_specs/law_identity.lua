-- expect: :2: monoid: combine(identity, a) == a fails for a =  .. correct it .. laws = "trusted"
return scan { monoid = monoid { type = u32, identity = 0, combine = function(a, b) return a - b end } }
