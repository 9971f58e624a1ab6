-- expect: the spec needs more memory than its limit
local s = ('x'):rep(1 << 11)
local t = s:gsub('x', s)
