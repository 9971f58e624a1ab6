-- expect: structs in structs more than 16 deep
local S = u8
for i = 1, 1000 do S = struct("S" .. i) { { "a", S } } end
