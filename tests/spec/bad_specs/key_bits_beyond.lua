-- expect: :2: key: bits = {0, 33}, but the key has 32 bits .. {0, 32}
return sort { key = key { type = f32, bits = {0, 33} } }
