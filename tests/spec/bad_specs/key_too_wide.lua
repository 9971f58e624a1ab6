-- expect: :3: key: its fields have 192 bits together .. at most 128
local S = struct "S" { {"a", u64}, {"b", u64}, {"c", f64} }
return sort { key = key { type = S, by = { {"a"}, {"b"}, {"c"} } } }
