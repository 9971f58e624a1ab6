-- expect: :2: an element of Wide has 64 bytes; where functions know what is near it has at most 60
return map { input = struct "Wide" { {"a", vec(f64, 4)}, {"b", vec(f64, 4)} }, output = function(x, i, near) return near.before.a end }
