-- expect: :2: segmented_reduce: segments is "heads"; give "offsets", "flags" or "keys"
return segmented_reduce { segments = "heads", monoid = sum(u32) }
