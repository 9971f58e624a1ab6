-- expect: :3: by: entry 2 is a string .. write {"field"}
local S = struct "S" { {"tile", u32}, {"depth", f32}, {"p", vec(f32, 2)} }
return sort { key = key { type = S, by = { {"tile"}, "depth" } } }
