-- expect: :2: key: bits is a number .. bits = {lo, hi}
return sort { key = key { type = u32, bits = 8 } }
