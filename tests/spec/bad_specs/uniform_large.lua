-- expect: :4: struct "Uniforms": larger than 128 bytes
local A = struct "A" { {"a", vec(f64, 4)}, {"b", vec(f64, 4)}, {"c", vec(f64, 4)} }
local a, b = uniform("a", A), uniform("b", A)
return map { input = f64, output = function(x) return x + a.a.x + b.a.x end }
