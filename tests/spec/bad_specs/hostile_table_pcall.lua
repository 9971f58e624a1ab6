-- expect: the spec
local t = {}
while true do pcall(function() for i = 1, 1e9 do t[#t + 1] = {} end end) end
