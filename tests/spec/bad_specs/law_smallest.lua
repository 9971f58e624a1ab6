-- expect: :2: monoid: combine(combine(a, b), c) == combine(a, combine(b, c)) fails for a = 1, b = 1, c = 
return scan { monoid = monoid { type = i32, identity = 0, combine = function(a, b)
    return where(eq(a, 0), b, where(eq(b, 0), a, a - b + 1)) end } }
