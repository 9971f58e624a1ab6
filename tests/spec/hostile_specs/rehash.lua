-- expect: a table with more than 32768 keys
-- Integers that collide, and only once the table has grown.
local t = {} for i = 1, (1 << 19) + 10 do t[i * ((1 << 20) - 1)] = true end
