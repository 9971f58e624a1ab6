-- expect: :3: the spec needs more memory than its limit of 256 MiB, or a text beyond 1 MiB
local s = ('x'):rep(1 << 19)
while true do pcall(function() return s .. s .. s end) end
