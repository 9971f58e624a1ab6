-- expect: :5: combine: 40002 operations; compilers take too long over more than 2048: use fewer, or a source
-- Associative, and long.
local function combine(a, b)
    local c = a + b
    for i = 1, 20000 do c = c + (a << 1) - (a << 1) end return c end
return scan { monoid = monoid { type = u32, identity = 0, combine = combine } }
