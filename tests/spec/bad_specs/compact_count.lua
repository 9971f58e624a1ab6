-- expect: :2: compact: 'count' is what the operation calls its number of results; call yours otherwise
return compact { inputs = { {"count", u32} }, keep = function(e) return gt(e.count, 3) end }
