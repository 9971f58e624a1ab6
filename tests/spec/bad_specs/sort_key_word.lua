-- expect: :2: sort: key: expected a type, not a string .. name one
return sort { key = "u32" }
