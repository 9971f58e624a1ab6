-- expect: :2: two operations are called 'a' .. name =
return { scan { name = 'a', monoid = sum(u32) }, reduce { name = 'a', monoid = sum(u32) } }
