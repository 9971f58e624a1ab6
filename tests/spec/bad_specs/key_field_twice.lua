-- expect: :3: by: 'tile' appears twice .. leave out the other
local S = struct "S" { {"tile", u32}, {"depth", f32}, {"p", vec(f32, 2)} }
return sort { key = key { type = S, by = { {"tile"}, {"depth"}, {"tile", bits = 4} } } }
