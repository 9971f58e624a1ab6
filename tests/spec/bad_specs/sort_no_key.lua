-- expect: :2: sort: key is missing .. key = u32
return sort { order = "descending" }
