-- expect: the spec needs more memory than its limit of 256 MiB
local t = {}
for i = 1, 1e9 do t[i] = ('x'):rep(100000) .. i end
