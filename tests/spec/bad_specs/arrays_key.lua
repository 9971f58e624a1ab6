-- expect: :2: scan: inputs: 'y' is no place in a list
return scan { monoid = sum(u32), inputs = { {"x", u32}, y = u32 }, map = function(e) return e.x end }
