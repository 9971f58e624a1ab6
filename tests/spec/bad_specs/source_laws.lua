-- expect: :2: monoid: combine(identity, a) == a fails for a = 1: 4294967295 is not 1
return scan { monoid = monoid { type = u32, identity = 0, combine = source { glsl = "return a + b;", host = function(a, b) return a - b end } } }
