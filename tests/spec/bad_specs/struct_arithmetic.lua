-- expect: :3: add: P is a struct .. name one of its fields
local P = struct "P" { { "x", f32 }, { "y", f32 } }
return scan { monoid = sum(f32), input = P, map = function(p) return (p + p).x end }
