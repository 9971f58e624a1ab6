-- expect: :3: key: S is a struct; .. by = { {"tile"} }
local S = struct "S" { {"tile", u32}, {"depth", f32}, {"p", vec(f32, 2)} }
return sort { key = S }
