-- expect: :3: by: 'a': "b" stands beside it; an entry is one field, as {"a"}, or
local R = struct "R" { { "a", u32 }, { "b", f32 } }
return sort { key = key { type = R, by = { { "a", "b" } } } }
