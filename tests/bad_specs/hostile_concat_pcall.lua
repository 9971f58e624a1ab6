-- expect: :3: the spec takes too long
local s = ('x'):rep(1 << 19)
while true do pcall(function() return s .. s .. s end) end
