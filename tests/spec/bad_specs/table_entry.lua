-- expect: :2: table_of: entry [1], counted from 0: 300 is out of the range of u8; use another value or type
local t = table_of(u8, { 1, 300 })
return map { input = u8, output = function(x) return t[x] end }
