-- expect: :3: a table_of's entries are constants; build a new one
local t = table_of(u8, { 1, 2 })
t[0] = 5
return map { input = u8, output = function(x) return t[x] end }
