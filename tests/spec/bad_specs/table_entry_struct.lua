-- expect: :3: table_of: entry [0], counted from 0: field 'b' of P is missing; give it a value
local P = struct "P" { {"a", u8}, {"b", u8} }
local t = table_of(P, { { a = 1 } })
return map { input = u8, output = function(x) return t[x] end }
