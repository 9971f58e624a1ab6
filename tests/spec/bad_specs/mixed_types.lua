-- expect: :2: u32 + f32 .. f32(x)
return scan { monoid = sum(u32), map = function(x) return x + f32(1) end }
