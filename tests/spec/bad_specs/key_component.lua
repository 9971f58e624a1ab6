-- expect: :3: by: vec(f32, 2) has no field 'z'; it has x y
local S = struct "S" { {"tile", u32}, {"depth", f32}, {"p", vec(f32, 2)} }
return sort { key = key { type = S, by = { {"p.z"} } } }
