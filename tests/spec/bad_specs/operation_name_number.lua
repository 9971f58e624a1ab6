-- expect: :2: scan: name is a number, not a text
return scan { name = 3, monoid = sum(u32) }
