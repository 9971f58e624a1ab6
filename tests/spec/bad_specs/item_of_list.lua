-- expect: :3: an item of a list: average has no value
local total = scan { monoid = sum(u32), name = "total" }
return { total, average }
