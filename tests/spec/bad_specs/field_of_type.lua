-- expect: :3: R.a: R is a type, and only its elements have fields, x.a in a function of x; to sort by the field write key { type = R, by = { {"a"} } }
local R = struct "R" { { "a", u32 }, { "b", f32 } }
return sort { key = R.a }
