-- expect: map: with x = 40321 it returns
local base = 40000
local function is_special(x) return x == base + 321 end
return scan { monoid = sum(u32), map = function(x)
    if is_special(x) then return u32(1) end
    return x
end }
