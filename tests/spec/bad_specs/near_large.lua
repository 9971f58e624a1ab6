-- expect: :2: struct "Near": larger than 128 bytes
return map { input = struct "Wide" { {"a", vec(f64, 4)}, {"b", vec(f64, 4)} }, output = function(x, i, near) return near.before.a end }
