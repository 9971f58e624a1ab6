-- expect: :2: reduce_by_key: value is u8 but the monoid's type is u32; give map
return reduce_by_key { key = u32, value = u8, monoid = sum(u32) }
