-- expect: :2: combine returns nothing; return the expression
return scan { monoid = monoid { type = u32, identity = 0, combine = function(a) end } }
