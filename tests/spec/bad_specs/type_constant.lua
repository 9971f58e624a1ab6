-- expect: :2: f32 has no 'min' .. lowest
return scan { monoid = monoid { type = f32, identity = f32.min, combine = function(a, b) return max(a, b) end } }
