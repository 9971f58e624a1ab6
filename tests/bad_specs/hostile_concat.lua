-- expect: the spec
local s = ('x'):rep(1 << 19)
for i = 1, 6 do s = s .. s end
while true do local t = s .. 'y' end
