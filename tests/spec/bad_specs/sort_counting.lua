-- expect: :2: sort: counting sorts keys alone, which are scalars of 8 or 16 bits; leave strategy out
return sort { key = u32, tune = { strategy = "counting" } }
