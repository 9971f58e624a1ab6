-- expect: :2: the spec returns a key .. return an operation
return key { type = u32 }
