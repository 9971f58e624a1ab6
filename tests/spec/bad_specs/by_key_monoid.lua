-- expect: :2: reduce_by_key: monoid is missing; give one
return reduce_by_key { key = u32 }
