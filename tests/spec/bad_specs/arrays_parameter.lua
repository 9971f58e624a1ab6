-- expect: :2: scan: outputs: 'y' has no parameter 'kept'
return scan { monoid = sum(u32), outputs = { {"y", value = function(s) return s end, kept = function(s, x) return gt(x, 3) end} } }
