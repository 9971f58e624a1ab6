-- expect: :2: at of y returns f32; give u32 or u64, as in u32(..)
return map { input = f32, outputs = { {"y", value = function(x) return x end, at = function(x) return x end} } }
