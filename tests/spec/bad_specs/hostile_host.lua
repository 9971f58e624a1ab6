-- expect: :3: the spec takes too long
return scan { monoid = monoid { type = u32, identity = 0, combine = source { glsl = "return a + b;",
    host = function(a, b) while true do end end } } }
