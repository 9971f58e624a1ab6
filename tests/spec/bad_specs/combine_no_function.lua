-- expect: combine: expected a function, not a number
return scan { monoid = monoid { type = u32, identity = 0, combine = 3 } }
