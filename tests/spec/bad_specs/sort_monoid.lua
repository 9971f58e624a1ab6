-- expect: :2: sort has no parameter 'monoid'
return sort { key = u32, monoid = sum(u32) }
