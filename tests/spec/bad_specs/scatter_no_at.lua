-- expect: :2: map: outputs: 'y' has length, but no at; only what is scattered has a length of its own
return map { input = f32, outputs = { {"y", value = function(x) return x end, length = 10} } }
