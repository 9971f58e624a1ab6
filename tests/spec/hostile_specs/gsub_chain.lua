-- expect: the spec takes too long
local t = {} for i = 1, 150 do t = setmetatable({}, { __index = t }) end
local s = ('x'):rep(500000):gsub('.', t)
