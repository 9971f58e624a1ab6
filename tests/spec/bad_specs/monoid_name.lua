-- expect: monoid: name .. is not an identifier
return scan { monoid = monoid { name = "x\n#error", type = u32, identity = 0, combine = function(a, b) return a + b end } }
