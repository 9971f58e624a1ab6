-- expect: :3: u32 is nothing, expected u32; a Lua table has no entry under an expression: make it table_of(T, { .. })
local t = { 1, 2, 3 }
return map { input = u32, output = function(x) return u32(t[x]) end }
