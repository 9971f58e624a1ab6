-- expect: :2: map: output is a source; with generated inputs write a function
return map { inputs = { {"x", u32}, {"w", generate = function(i) return u32(i) end} }, output = source { cuda = "return x;", glsl = "return x;", type = u32 } }
