-- expect: :2: min: the second operand is nothing ('limit' has no value here); define it, or give it with -D
return scan { monoid = sum(u32), map = function(x) return min(x, limit) end }
