-- expect: :2: map: inputs: all are generated: not in this version; give one that is in memory, which says what n is
return map { inputs = { {"w", generate = function(i) return u32(i) end} }, output = function(e) return e.w end }
