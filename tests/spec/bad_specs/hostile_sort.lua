-- expect: the spec takes too long
local t = {}
for i = 1, 4000000 do t[i] = i * 7919 % 4000037 end
table.sort(t)
