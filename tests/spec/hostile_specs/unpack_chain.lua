-- expect: the spec takes too long
local t = {} for i = 1, 190 do t = setmetatable({}, { __index = t }) end
while true do table.unpack(t, 1, 200000) end
