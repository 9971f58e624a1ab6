-- expect: :2: u32 has no field 'y'
return scan { monoid = sum(u32), map = function(x) return x.y end }
