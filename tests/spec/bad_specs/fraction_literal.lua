-- expect: :2: mul: 0.5 is no value of u32 .. convert
return scan { monoid = sum(u32), map = function(x) return x * 0.5 end }
