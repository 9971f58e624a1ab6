-- expect: :2: map: the result is u8, expected u32
return reduce_by_key { key = u32, value = u8, monoid = sum(u32), map = function(x) return x end }
