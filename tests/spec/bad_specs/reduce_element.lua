-- expect: :2: value of y takes at most 1 value, this function wants 2
return reduce { monoid = sum(u32), outputs = { {"y", value = function(s, x) return s end} } }
