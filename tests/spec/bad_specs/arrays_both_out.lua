-- expect: :2: scan: output and outputs; give one of them
return scan { monoid = sum(u32), output = function(s) return s end, outputs = { {"y", value = function(s) return s end} } }
