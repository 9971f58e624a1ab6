-- expect: :2: sample takes at most 1 value, this function wants 2; leave out the others
return scan { monoid = monoid { type = f32, identity = 0, combine = function(a, b) return a + b end,
    sample = function(r, other) return r:f32(0, 1) * other end } }
