-- expect: :3: a uniform has no value here
local a = uniform("a", u32) * 2
return scan { monoid = sum(u32), init = a }
