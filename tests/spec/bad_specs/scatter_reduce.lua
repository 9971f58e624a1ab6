-- expect: :2: reduce: an output has at, but all are of one element; leave it out, or take scan
return reduce { monoid = sum(u32), outputs = { {"y", value = function(s) return s end, at = function(s) return s end} } }
