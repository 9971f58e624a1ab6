-- expect: :3: P takes 2 values, not 3
local P = struct "P" { { "x", f32 }, { "y", f32 } }
return scan { monoid = sum(f32), map = function(x) return P(x, x, x).x end }
