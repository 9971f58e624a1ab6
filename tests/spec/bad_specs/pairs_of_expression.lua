-- expect: pairs: expected a table, not P
local P = struct "P" { { "x", f32 } }
return scan { monoid = sum(f32), input = P, map = function(p)
  for k, v in pairs(p) do end
  return p.x
end }
