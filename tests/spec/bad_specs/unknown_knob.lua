-- expect: :2: tune has no parameter 'item' .. did you mean 'items'
return scan { monoid = sum(u32), tune = { item = 4 } }
