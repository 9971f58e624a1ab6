-- expect: :2: append: length is missing; give length = function(x, i) .. end
return append { input = u32, item = function(x) return x end }
