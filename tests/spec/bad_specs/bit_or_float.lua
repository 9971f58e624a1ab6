-- expect: :2: f32 | f32: it works on integers
return scan { monoid = bit_or(f32) }
