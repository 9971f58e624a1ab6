-- expect: :3: by: bits of 'tile' is 14.5 .. whole number
local S = struct "S" { {"tile", u32}, {"depth", f32}, {"p", vec(f32, 2)} }
return sort { key = key { type = S, by = { {"tile", bits = 14.5} } } }
