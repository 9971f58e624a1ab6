-- expect: add: the first operand is nothing; give it a value
local t = {}
return scan { monoid = sum(u32), map = function(x) return t.y + x end }
