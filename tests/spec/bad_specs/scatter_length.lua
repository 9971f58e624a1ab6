-- expect: :2: map: outputs: 'y': length is 0; give a whole number from 1 to 2147483647
return map { input = u32, outputs = { {"y", value = function(x) return x end, at = function(x) return x end, length = 0} } }
