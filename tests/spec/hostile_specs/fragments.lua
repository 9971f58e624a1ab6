-- expect: the spec
-- Every second text goes, and larger ones do not fit into the gaps.
local t = {} for i = 1, 60000 do t[i] = ('x'):rep(3000) .. i end
for i = 1, 60000, 2 do t[i] = nil end
for i = 1, 60000 do t[i + 60000] = ('x'):rep(6000) .. i end
