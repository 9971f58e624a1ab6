-- expect: the spec takes too long
-- A chain of ephemerons, which Lua's collector follows in quadratic time.
local m = {} local e = setmetatable({}, m) m.__mode = 'k'
local k = {} local first = k
for i = 1, 16000 do local n = {} e[k] = n k = n end
while true do local x = {} end
