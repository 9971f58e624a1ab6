-- expect: the returned list has an entry 'total' beside 1 to 1; list the operations without gaps or names
return { scan { monoid = sum(u32) }, total = reduce { monoid = sum(u32) } }
