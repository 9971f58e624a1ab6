-- expect: the spec takes too long
local t = {} for i = 1, 3000000 do t[i] = i * 7919 % 3000017 end
table.sort(t, math.ult)
