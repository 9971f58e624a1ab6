-- expect: send elements to places by an output with at = f
return map { inputs = { { "v", f32 }, { "i", u32 } }, output = function(x) return x.v[x.i] end }
