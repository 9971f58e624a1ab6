-- expect: :2: map: output is missing; give output = function(x, i) .. end
return map { input = f32 }
