-- expect: :2: monoid has no parameter 'comutative' .. did you mean 'commutative'
return scan { monoid = monoid { type = u32, identity = 0, combine = function(a, b) return a + b end, comutative = true } }
