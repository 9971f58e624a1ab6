-- expect: :2: map: inputs: entry 2 is no {"name", type}
return map { inputs = { {"x", f32}, u32 }, output = function(e) return e.x end }
