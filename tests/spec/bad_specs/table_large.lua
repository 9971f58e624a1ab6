-- expect: :4: table_of: 80000 bytes of tables; a file has at most 65536: use a narrower type, or fewer entries
local list = {}
for i = 1, 20000 do list[i] = i end
local t = table_of(u32, list)
return map { input = u8, output = function(x) return t[x] end }
