-- expect: the spec
local x = u32(1)
while true do x = x + x * 3 end
