return reduce { name = "total", doc = NAME, monoid = sum(u32) }
