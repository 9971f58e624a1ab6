-- expect: :2: key = int: no type has this name; write i32, of the types u8, i8,
return sort { key = int }
