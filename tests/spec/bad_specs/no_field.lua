-- expect: :3: P has no field 'z' .. 'x', 'y'
local P = struct "P" { { "x", f32 }, { "y", f32 } }
return scan { monoid = sum(f32), input = P, map = function(p) return p.z end }
