-- expect: :2: scan: doc is a text, not a number
return scan { doc = 3, monoid = sum(u32) }
