-- expect: :3: by: 'tile' has no parameter 'bit'; did you mean 'bits'
local S = struct "S" { {"tile", u32}, {"depth", f32}, {"p", vec(f32, 2)} }
return sort { key = key { type = S, by = { {"tile", bit = 14} } } }
