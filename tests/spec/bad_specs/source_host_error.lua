-- expect: :4: attempt to index a number value (local 'a')
return scan { monoid = monoid { type = u32, identity = 0, combine = source { glsl = "return a + b;",
    host = function(a, b)
        return a.x + b
    end } } }
