-- expect: :2: scan: name 'a b' is not an identifier .. letters
return scan { name = 'a b', monoid = sum(u32) }
