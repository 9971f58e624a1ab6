-- expect: the first operand must be a condition .. ne(x, 0)
return scan { monoid = sum(u32), map = function(x) return where(x, x, x) end }
