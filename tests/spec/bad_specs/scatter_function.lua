-- expect: :2: at of y: expected a function, not a number
return map { input = u32, outputs = { {"y", value = function(x) return x end, at = 3} } }
