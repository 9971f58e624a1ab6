-- expect: :2: bit_and: f32 is no integer
return scan { monoid = bit_and(f32) }
