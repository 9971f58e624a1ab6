-- expect: :2: scan: input is f32 but the monoid's type is u32; give map = function(x, i) return u32(..) end
return scan { monoid = sum(u32), input = f32 }
