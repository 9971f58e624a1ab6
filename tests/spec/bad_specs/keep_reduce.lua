-- expect: :2: reduce: an output has keep, but all are of one element
return reduce { monoid = sum(u32), outputs = { {"y", value = function(s) return s end, keep = function(s) return gt(s, 3) end} } }
