-- expect: two operations are called 'duplicate_default_names' .. name =
return { scan { monoid = sum(u32) }, reduce { monoid = sum(u32) } }
