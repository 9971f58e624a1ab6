-- expect: :2: at of y returns a number; give it a type
return map { input = f32, outputs = { {"y", value = function(x) return x end, at = function(x) return 0 end} } }
