-- expect: the spec needs more memory than its limit
local t = {} for i = 1, 1e9 do t[i] = function() return i end end
