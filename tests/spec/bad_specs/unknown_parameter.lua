-- expect: :2: scan has no parameter 'knd' .. did you mean 'kind'
return scan { monoid = sum(u32), knd = 'exclusive' }
