-- expect: :2: sqrt(u32): it works on floats .. f32(x)
return scan { monoid = sum(u32), map = function(x) return sqrt(x) end }
