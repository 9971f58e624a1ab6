-- expect: :2: sort: an index is u32 or u64, not i64 .. index = u64
return sort { key = u32, value = "index", index = i64 }
