-- expect: :2: map: its source gives f32, expected u32
return scan { monoid = sum(u32), map = source { glsl = "return x;", type = f32 } }
