-- expect: :2: table_of: the list has something under 'last', beside its 2 entries; leave it out
local t = table_of(u8, { 1, 2, last = 3 })
return map { input = u8, output = function(x) return t[x] end }
