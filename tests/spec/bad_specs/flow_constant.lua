-- expect: :6: map: with x = 2045 it returns 7, but traced 2045
local N <const> = 11
local M <const> = 2^N - 3 -- no register has it
return scan { monoid = sum(u32), input = u32, map = function(x)
    local y = x
    if y == M then return u32(7) end
    return y
end }
