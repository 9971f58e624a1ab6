-- expect: :2: monoid: type: expected a type, not nothing
return scan { monoid = monoid { identity = 0, combine = function(a, b) return a + b end } }
