-- expect: :3: a value of P cannot be changed .. build a new one
local P = struct "P" { { "x", f32 }, { "y", f32 } }
return scan { monoid = sum(f32), input = P, map = function(p) p.x = 1; return p.x end }
