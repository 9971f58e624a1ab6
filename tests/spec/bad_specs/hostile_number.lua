-- expect: the spec takes too long
local s = ('9'):rep(1 << 19) .. 'e-500000'
while true do local n = s + 1 end
