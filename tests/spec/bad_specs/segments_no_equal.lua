-- expect: :2: segmented_reduce: elements of Pair; give equal
return segmented_reduce { segments = "keys", key = struct "Pair" { {"a", u32}, {"b", u32} }, monoid = sum(u32) }
