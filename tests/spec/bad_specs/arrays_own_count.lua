-- expect: :2: compact: 'count' is what the operation calls its number of results; call yours otherwise
return compact { input = u32, keep = function(x) return gt(x, 3) end, outputs = { {"count", value = function(x) return x end} } }
