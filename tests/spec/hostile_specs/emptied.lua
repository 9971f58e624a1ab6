-- expect: the spec takes too long
local t = {} for i = 1, 3000000 do t[i] = i end for i = 3000000, 1, -1 do t[i] = nil end
while true do next(t) next(t) next(t) next(t) next(t) end
