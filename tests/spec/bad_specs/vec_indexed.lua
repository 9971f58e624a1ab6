-- expect: :2: vec(f32, 2): a component is chosen by a number; write v.x, or where(eq(i, 0), v.x, v.y)
return map { input = vec(f32, 2), output = function(v, i) return v[i] end }
