-- expect: :2: sample: expected a function, not a number
return scan { monoid = monoid { type = u32, identity = 0, combine = function(a, b) return a + b end, sample = 3 } }
