-- expect: :3: by: 'p' is vec(f32, 2), which has no order .. {"p.x"}
local S = struct "S" { {"tile", u32}, {"depth", f32}, {"p", vec(f32, 2)} }
return sort { key = key { type = S, by = { {"p"} } } }
