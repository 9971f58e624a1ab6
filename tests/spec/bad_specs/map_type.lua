-- expect: map: the result is f32, expected u32 .. u32(x)
return scan { monoid = sum(u32), map = function(x) return f32(x) end }
