-- expect: :2: scan: input is f32 but the monoid's type is u32 .. map = function
return scan { monoid = sum(u32), input = f32 }
