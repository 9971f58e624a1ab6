-- expect: the spec returns 300 operations; return at most 256
local list = {}
for i = 1, 300 do list[i] = scan { name = "a" .. i, monoid = sum(u32) } end
return list
