-- expect: :2: key: bits: hi is a string .. whole number
return sort { key = key { type = u32, bits = {0, "8"} } }
