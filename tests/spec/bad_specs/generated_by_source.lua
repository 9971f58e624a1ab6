-- expect: :2: map: 'w' is made by a source; write generate = function(i) .. end
return map { inputs = { {"x", u32}, {"w", generate = source { cuda = "return i;", glsl = "return i;", type = u32 }} }, output = function(e) return e.w end }
