-- expect: the spec takes too long
local function f(n) local x <close> = setmetatable({}, { __close = function() while true do end end }) return f(n + 1) end
pcall(f, 1)
