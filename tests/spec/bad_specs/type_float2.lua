-- expect: :2: input = float2: no type has this name; write vec(f32, 2), of the types
return map { input = float2, output = function(x) return x.x end }
