-- expect: have different lengths
return scan { monoid = sum(vec(f32, 3)), input = vec(f32, 2), map = function(v) return v + vec(f32, 3)(1, 2, 3) end }
