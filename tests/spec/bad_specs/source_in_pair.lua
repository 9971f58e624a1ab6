-- expect: :3: a source cannot be called from another function
local m = monoid { type = u32, identity = 0, laws = "trusted", combine = source { glsl = "return a + b;" } }
return scan { monoid = pair(m, sum(u32)) }
