-- expect: :2: key: bits = {-1, 8}, but the key has 16 bits .. {0, 16}
return sort { key = key { type = u16, bits = {-1, 8} } }
