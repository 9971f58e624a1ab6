-- expect: :2: sort: key: bool has no place in memory .. u8
return sort { key = bool }
