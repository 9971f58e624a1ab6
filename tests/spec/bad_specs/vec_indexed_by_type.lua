-- expect: :2: vec(f32, 2): a component is chosen by a number; write v.x,
return map { input = vec(f32, 2), output = function(v) return v[u32] end }
