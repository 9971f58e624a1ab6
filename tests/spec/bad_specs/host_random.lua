-- expect: :3: math.random: a host function would return another number for the same values each time; make it of the function's arguments
local jitter = source { glsl = "return a + b;", parameters = { "a", "b" },
    host = function(a, b) return a + b * math.random(1, 1) end }
return scan { monoid = monoid { type = u32, identity = 0, combine = jitter } }
