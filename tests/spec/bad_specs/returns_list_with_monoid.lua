-- expect: :2: entry 2 of the returned list is the monoid sum(u32) .. scan, reduce, sort, map
return { scan { monoid = sum(u32) }, sum(u32) }
