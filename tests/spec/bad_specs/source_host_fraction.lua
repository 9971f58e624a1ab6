-- expect: :2: .. the result is 0.5, no value of u32
return scan { monoid = monoid { type = u32, identity = 0, combine = source { glsl = "return a + b;", host = function(a, b) return (a + b) / 2 end } } }
