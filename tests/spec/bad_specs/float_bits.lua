-- expect: :2: f32 & f32: it works on integers .. bitcast
return scan { monoid = sum(f32), map = function(x) return x & 1 end }
