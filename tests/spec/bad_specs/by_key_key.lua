-- expect: :2: reduce_by_key: key: expected a type, not nothing
return reduce_by_key { monoid = sum(u32) }
