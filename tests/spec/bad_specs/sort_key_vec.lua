-- expect: :2: key: vec(u32, 2) is a vec; .. by = { {"x"} }
return sort { key = vec(u32, 2) }
