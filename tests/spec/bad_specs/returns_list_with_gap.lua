-- expect: the returned list has an entry '3' beside 1 to 1; list the operations without gaps or names
local operations = { scan { monoid = sum(u32) } }
operations[3] = reduce { name = "total", monoid = sum(u32) }
return operations
