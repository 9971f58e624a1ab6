-- expect: :3: gt: the first operand is nothing; a Lua table has no entry under an expression: make it table_of(T, { .. })
local t = { 1, 2, 3 }
return compact { input = u8, keep = function(x) return gt(t[x], 1) end }
