-- expect: :2: map: two arrays are called 'x'
return map { inputs = { {"x", f32} }, outputs = { {"x", value = function(e) return e.x end} } }
