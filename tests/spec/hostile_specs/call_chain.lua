-- expect: the spec takes too long
local m = {} local t = setmetatable({}, m) m.__call = t setmetatable(t, m)
t()
