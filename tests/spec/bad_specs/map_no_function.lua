-- expect: :2: map: expected a function, not u32; write function(x, i
return scan { monoid = sum(u32), map = u32(1) }
