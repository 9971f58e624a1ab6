-- expect: the spec takes too long
-- #t is 2^62.
local t = {} for i = 62, 0, -1 do t[1 << i] = 1 end
table.remove(t, 1)
