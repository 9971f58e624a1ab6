-- expect: :2: popcount: give one value a type
return scan { monoid = sum(u32), map = function(x) return x + popcount(3) end }
