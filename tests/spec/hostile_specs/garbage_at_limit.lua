-- expect: the spec
local keep = {} pcall(function() for i = 1, 1e9 do keep[i] = {{}} end end)
while true do pcall(function() local x = {} for i = 1, 1e6 do x[i] = {} end end) end
