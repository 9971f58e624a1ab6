-- expect: :2: map: input is missing; give the type of its elements, as in input = f32
return map { output = function(x) return x + 1 end }
