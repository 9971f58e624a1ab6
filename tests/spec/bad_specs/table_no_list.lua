-- expect: :2: table_of: expected a list of constants, not a number; write table_of(u8, { .. })
local t = table_of(u8, 3)
return map { input = u8, output = function(x) return t[x] end }
