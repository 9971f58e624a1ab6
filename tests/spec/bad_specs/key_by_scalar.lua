-- expect: :2: key: u32 has no fields .. leave out by
return sort { key = key { type = u32, by = { {"x"} } } }
