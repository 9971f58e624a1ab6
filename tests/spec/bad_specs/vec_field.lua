-- expect: :2: vec(f32, 2) has no field 'z'; it has x y
return scan { monoid = sum(f32), input = vec(f32, 2), map = function(p) return p.z end }
