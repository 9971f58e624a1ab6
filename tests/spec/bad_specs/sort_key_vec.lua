-- expect: :2: key: vec(u32, 2) has several parts .. by = { {"x"} }
return sort { key = vec(u32, 2) }
