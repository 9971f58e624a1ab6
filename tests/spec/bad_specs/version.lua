-- expect: :2: spec_version(2): this version reads 1
spec_version(2)
return scan { monoid = sum(u32) }
