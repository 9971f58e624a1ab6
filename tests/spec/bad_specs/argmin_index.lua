-- expect: :2: argmin: an index is u32 or u64, not i32
return scan { monoid = argmin(u32, i32) }
