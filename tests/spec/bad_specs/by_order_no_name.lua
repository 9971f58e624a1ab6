-- expect: :3: by: 'a': "descending" has no name; write {"a", order = "descending"}
local R = struct "R" { { "a", u32 }, { "b", f32 } }
return sort { key = key { type = R, by = { { "a", "descending" } } } }
