-- expect: :3: A: field 'b' is f32, expected u32 .. u32(x)
local A = struct "A" { { "a", f32 }, { "b", u32 } }
local m = monoid { type = A, identity = { 1, 0 }, combine = function(f, g) return A { a = f.a, b = f.a } end }
