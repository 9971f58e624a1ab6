-- expect: :3: a uniform has no value here
local a = uniform("a", u32)
return scan { monoid = monoid { type = u32, identity = a, combine = function(x, y) return x + y end } }
