-- expect: :2: segmented_reduce: 'y' has keep, but all are of one element a segment
return segmented_reduce { segments = "flags", monoid = sum(u32), outputs = { {"y", value = function(s) return s end, keep = function(s) return gt(s, 1) end} } }
