-- expect: :2: reduce has no parameter 'kind'
return reduce { monoid = sum(u32), kind = 'exclusive' }
