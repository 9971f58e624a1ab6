-- expect: fails for a = 
-- Large, and associative for none but the identity.
local fields, zero = {}, {}
for i = 1, 128 do fields[i], zero[i] = { 'f' .. i, u8 }, 0 end
return scan { monoid = monoid { type = struct 'S' (fields), identity = zero, combine = function(a, b)
    local t = {}
    for i = 1, 128 do
        local x, y = a['f' .. i], b['f' .. i]
        local c = x * y
        for k = 1, 4 do c = (c * x ~ c) * y end
        t[i] = x + y + c
    end
    return t
end } }
