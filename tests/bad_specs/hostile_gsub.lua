-- expect: the spec needs more memory than its limit of 256 MiB
local s = ('x'):rep(1 << 19)
local t = s:gsub('x', s)
