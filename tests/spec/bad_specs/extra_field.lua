-- expect: A has no field 'c'
local A = struct "A" { { "a", f32 }, { "b", f32 } }
return scan { monoid = monoid { type = A, identity = { a = 1, b = 0, c = 0 }, combine = function(f, g) return f end } }
