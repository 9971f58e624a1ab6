-- expect: :3: by: bits of 'tile': 33 is not from 1 to 32 .. correct it
local S = struct "S" { {"tile", u32}, {"depth", f32}, {"p", vec(f32, 2)} }
return sort { key = key { type = S, by = { {"tile", bits = 33} } } }
