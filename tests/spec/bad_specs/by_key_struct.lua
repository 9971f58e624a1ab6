-- expect: :2: reduce_by_key: elements of Pair; give equal
return reduce_by_key { key = struct "Pair" { {"a", u32}, {"b", u32} }, monoid = sum(u32) }
