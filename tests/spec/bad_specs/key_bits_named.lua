-- expect: :2: key: bits has no parameter 'lo'
return sort { key = key { type = u32, bits = {0, 8, lo = 4} } }
