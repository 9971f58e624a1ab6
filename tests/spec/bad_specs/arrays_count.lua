-- expect: :2: map: two arrays are called 'y_count'
return map { input = u32, outputs = { {"y", value = function(x) return x end, keep = function(x) return gt(x, 3) end}, {"y_count", value = function(x) return x end} } }
