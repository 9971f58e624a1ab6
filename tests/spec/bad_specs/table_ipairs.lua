-- expect: :3: ipairs: the table u8[2] has no end: beyond its last entry it is that; write for i = 0, #t - 1 do
local t = table_of(u8, { 1, 2 })
for i, x in ipairs(t) do end
return map { input = u8, output = function(x) return t[x] end }
