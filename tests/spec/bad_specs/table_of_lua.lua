-- expect: :3: output returns nothing; a Lua table has no entry under an expression: make it table_of(T, { .. })
local t = { 1, 2, 3 }
return map { input = u8, output = function(x) return t[x] end }
