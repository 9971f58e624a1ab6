-- expect: field 'b' of A is missing
local A = struct "A" { { "a", f32 }, { "b", f32 } }
return scan { monoid = monoid { type = A, identity = { a = 1 }, combine = function(f, g) return f end } }
