-- expect: :2: monoid: combine is missing
return scan { monoid = monoid { type = u32, identity = 0 } }
