-- expect: bitcast(u32, f64): 8 bytes to 4 .. convert first
return scan { monoid = sum(u32), input = f64, map = function(x) return bitcast(u32, x) end }
