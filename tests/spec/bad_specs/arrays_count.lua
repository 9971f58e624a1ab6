-- expect: :2: map: 'y_count' is what the operation calls its number of results; call yours otherwise
return map { input = u32, outputs = { {"y", value = function(x) return x end, keep = function(x) return gt(x, 3) end}, {"y_count", value = function(x) return x end} } }
