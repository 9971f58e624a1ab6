-- expect: :2: compact: 'y' has keep; compact says what is kept
return compact { input = u32, keep = function(x) return gt(x, 3) end, outputs = { {"y", value = function(x) return x end, keep = function(x) return lt(x, 9) end} } }
