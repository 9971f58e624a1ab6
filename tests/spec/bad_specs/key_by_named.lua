-- expect: :3: by has no parameter 'tile'; it is a list
local S = struct "S" { {"tile", u32}, {"depth", f32}, {"p", vec(f32, 2)} }
return sort { key = key { type = S, by = { {"depth"}, tile = 14 } } }
