-- expect: takes too long
-- Associative, and long.
return scan { monoid = monoid { type = u32, identity = 0, combine = function(a, b)
    local c = a + b
    for i = 1, 200000 do c = c + (a << 1) - (a << 1) end
    return c
end } }
