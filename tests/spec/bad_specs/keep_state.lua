-- expect: :2: keep of y depends on s: not in this version; decide by the element
return scan { monoid = sum(u32), outputs = { {"y", value = function(s) return s end, keep = function(s) return gt(s, 3) end} } }
