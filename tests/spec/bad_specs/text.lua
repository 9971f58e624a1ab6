-- expect: an expression has no text
return scan { monoid = sum(u32), map = function(x) return "x" .. x end }
