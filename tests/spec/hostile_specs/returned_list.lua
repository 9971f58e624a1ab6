-- expect: the returned list has an entry
local t = { scan { monoid = sum(u32) } } for i = 1, 30000 do t['x' .. i] = i end
return t
