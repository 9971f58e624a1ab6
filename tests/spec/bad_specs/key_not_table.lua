-- expect: :2: key: expected a table, not the type u32 .. key { .. }
return sort { key = key(u32) }
