-- expect: :3: the spec needs more memory than its limit of 256 MiB, or a text beyond 1 MiB; make its tables and texts smaller
local s = ('x'):rep(1 << 19)
for i = 1, 6 do s = s .. s end
