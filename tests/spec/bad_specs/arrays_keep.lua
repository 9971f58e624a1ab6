-- expect: :2: map: outputs: 'y' has at: not in this version
return map { inputs = { {"x", f32} }, outputs = { {"y", value = function(e) return e.x end, at = function(e, i) return i end} } }
