-- expect: :2: key: bits is a list of 3 .. bits = {lo, hi}
return sort { key = key { type = u32, bits = {0, 8, 16} } }
