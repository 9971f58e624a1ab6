-- expect: :2: struct "Two": its fields are named by keys, which have no order .. write struct "Two" { { "a", f32 }, { "b", f32 } }
local Two = struct "Two" { a = f32, b = f32 }
