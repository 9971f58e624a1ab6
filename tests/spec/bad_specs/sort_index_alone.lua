-- expect: :2: sort: index is the type of value = "index" .. leave it out
return sort { key = u32, index = u64 }
