-- expect: :2: keep of y: the result is f32, expected bool
return map { inputs = { {"x", f32} }, outputs = { {"y", value = function(e) return e.x end, keep = function(e) return e.x end} } }
