-- expect: the spec returns nothing
local m = {} local t = setmetatable({}, m) m.__len = function() return 1 << 60 end
table.insert(t, 1, 5)
table.remove(t, 1)
