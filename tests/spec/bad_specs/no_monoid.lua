-- expect: :2: scan: monoid is missing .. sum(u32)
return scan { input = u32 }
