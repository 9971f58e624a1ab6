-- expect: :3: key: by is empty .. list fields
local S = struct "S" { {"tile", u32}, {"depth", f32}, {"p", vec(f32, 2)} }
return sort { key = key { type = S, by = {} } }
