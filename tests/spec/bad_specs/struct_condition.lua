-- expect: :3: eq: P is a struct; name one of its fields
local P = struct "P" { { "x", f32 } }
return scan { monoid = sum(f32), input = P, map = function(p) return where(eq(p, p), p.x, 0) end }
