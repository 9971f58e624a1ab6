-- expect: :2: sort: key is a table; name a type, and the order beside it, as in key = u32, order = "descending"
return sort { key = { u32, "descending" } }
