-- expect: :2: segmented_reduce: segments = "offsets": not in this version; take "flags" or "keys"
return segmented_reduce { segments = "offsets", monoid = sum(u32) }
