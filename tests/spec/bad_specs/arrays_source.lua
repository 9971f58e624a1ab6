-- expect: :2: map: outputs: 'y' is a source
return map { inputs = { {"x", f32} }, outputs = { {"y", value = source { glsl = "return 0.0;", cuda = "return 0.0f;", host = function(x) return 0.0 end, type = f32 }} } }
