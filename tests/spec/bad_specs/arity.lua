-- expect: :2: clamp takes 3 values, not 2
return scan { monoid = sum(u32), map = function(x) return clamp(x, 1) end }
