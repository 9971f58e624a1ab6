-- expect: the spec
local list = {}
for i = 1, 1e9 do list[i] = scan { name = 'a' .. i, monoid = sum(u32) } end
return list
