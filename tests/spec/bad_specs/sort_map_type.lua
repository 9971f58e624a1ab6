-- expect: :2: map: the result is f32, expected u32 .. u32(x)
return sort { key = u32, input = f32, map = function(x) return x end }
