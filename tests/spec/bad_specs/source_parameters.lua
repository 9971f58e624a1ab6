-- expect: :2: combine: its source has 3 parameters; it takes 2
return scan { monoid = monoid { type = u32, identity = 0, combine = source { glsl = "return a + b;", host = function(a, b, c) return a + b end } } }
