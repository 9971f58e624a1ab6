-- expect: :2: unique: generated inputs: not in this version; take map, scan, reduce, compact or append
return unique { inputs = { {"x", u32}, {"w", generate = function(i) return u32(i) end} }, equal = function(a, b) return eq(a.w, b.w) end }
