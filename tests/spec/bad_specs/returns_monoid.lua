-- expect: :2: the spec returns the monoid sum(u32) .. return scan
return sum(u32)
