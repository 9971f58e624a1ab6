-- expect: :3: by: u32 has no field 'lo'; it has none
local S = struct "S" { {"tile", u32}, {"depth", f32}, {"p", vec(f32, 2)} }
return sort { key = key { type = S, by = { {"tile.lo"} } } }
