-- expect: :2: sort: order is "down" .. "descending"
return sort { key = u32, order = "down" }
