-- expect: :2: keep of y: expected a function, not a boolean
return scan { monoid = sum(u32), outputs = { {"y", value = function(s) return s end, keep = true} } }
