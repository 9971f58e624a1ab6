-- expect: :2: key: bits = {8, 8} holds no bit .. lo < hi
return sort { key = key { type = u32, bits = {8, 8} } }
