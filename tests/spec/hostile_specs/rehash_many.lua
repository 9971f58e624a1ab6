-- expect: the spec takes too long
local tables = {} local step = (1 << 15) - 1
for n = 1, 60 do local t = {} for i = 1, 1 << 14 do t[i * step] = true end tables[n] = t end
for n = 1, 60 do tables[n][-step] = true end
