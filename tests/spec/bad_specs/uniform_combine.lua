-- expect: :3: combine uses the uniform 'a'
local a = uniform("a", u32)
return scan { monoid = monoid { type = u32, identity = 0, combine = function(x, y) return x + y + a end } }
