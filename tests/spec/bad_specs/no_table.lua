-- expect: :2: scan: expected a table, not the monoid sum(u32); write scan { .. }
return scan(sum(u32))
