-- expect: larger than 128 bytes
local list = {}
for i = 1, 100000 do list[i] = { "f" .. i, u8 } end
local S = struct "S" (list)
