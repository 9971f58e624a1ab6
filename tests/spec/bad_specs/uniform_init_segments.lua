-- expect: :3: a uniform has no value here
local a = uniform("a", u32)
return segmented_scan { monoid = sum(u32), segments = "flags", init = a }
