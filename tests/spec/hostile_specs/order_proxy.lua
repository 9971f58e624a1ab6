-- expect: the spec
local t = { order = setmetatable({}, { __index = function() return 'x' end }), x = sum(u32) }
for i = 62, 0, -1 do t.order[1 << i] = 'x' end
pair(t)
