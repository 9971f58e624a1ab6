-- expect: scan: name '../x' is not an identifier
return scan { name = '../x', monoid = sum(u32) }
