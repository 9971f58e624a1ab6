-- expect: :3: by: 'a': 14 has no name; write {"a", bits = 14}
local R = struct "R" { { "a", u32 }, { "b", f32 } }
return sort { key = key { type = R, by = { { "a", 14 } } } }
