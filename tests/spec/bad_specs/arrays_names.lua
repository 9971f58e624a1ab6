-- expect: :2: scan: outputs is a table; list arrays
return scan { monoid = sum(u32), outputs = { y = function(s) return s end } }
