-- expect: :2: key: type is missing .. key { type = u32 }
return sort { key = key { bits = {0, 4} } }
