-- expect: :2: output takes at most 1 value, this function wants 2
return reduce { monoid = sum(u32), output = function(s, x) return s end }
