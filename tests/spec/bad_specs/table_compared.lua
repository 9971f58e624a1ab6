-- expect: :3: output: with x = 0 it returns 7, but traced 1
local t = table_of(u8, { 5, 6 })
return map { input = u8, output = function(x) return t[x] == 5 and u8(7) or u8(1) end }
