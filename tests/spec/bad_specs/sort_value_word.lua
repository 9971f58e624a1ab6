-- expect: :2: sort: value is "none" .. leave it out
return sort { key = u32, value = "none" }
