-- A struct of one field is built from its value, a plain one or an expression, like any other.
local Count = struct "Count" { { "n", u32 } }
local counts = monoid { type = Count, identity = Count(0), combine = function(a, b) return Count(a.n + b.n) end }
return scan { monoid = counts, input = u8, map = function(x) return Count(u32(x)) end, output = function(s) return Count { n = s.n } end }
