-- expect: :2: the spec returns 2 values; return a list of operations, as in return { .. }
return scan { monoid = sum(u32) }, reduce { monoid = sum(u32) }
