-- expect: :2: table_of: the list has no entries; give one or more
local t = table_of(u8, {})
return map { input = u8, output = function(x) return t[x] end }
