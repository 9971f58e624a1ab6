-- expect: :3: the spec takes too long
local s, t = ('x'):rep(1 << 19), ''
while true do t = s .. 'y' end
