-- expect: :2: scan: tune: items is a table; give a number
return scan { monoid = sum(u32), tune = { items = {} } }
