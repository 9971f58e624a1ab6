-- expect: :2: Element is not indexed;
return map { inputs = { { "v", f32 }, { "i", u32 } }, output = function(x, i) return x[i].v end }
