-- expect: :3: by: S has no field 'tiles'; it has 'tile', 'depth', 'p'
local S = struct "S" { {"tile", u32}, {"depth", f32}, {"p", vec(f32, 2)} }
return sort { key = key { type = S, by = { {"tiles"} } } }
