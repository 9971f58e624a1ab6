-- expect: :2: Element is one element, not an array;
return map { inputs = { { "v", f32 }, { "i", u32 } }, output = function(x, i) return x[i].v end }
