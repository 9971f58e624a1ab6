-- expect: :3: by: 'tile': order is a boolean .. "descending"
local S = struct "S" { {"tile", u32}, {"depth", f32}, {"p", vec(f32, 2)} }
return sort { key = key { type = S, by = { {"tile", order = true} } } }
