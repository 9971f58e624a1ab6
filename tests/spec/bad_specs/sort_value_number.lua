-- expect: :2: sort: value: expected a type, not a number
return sort { key = u32, value = 4 }
