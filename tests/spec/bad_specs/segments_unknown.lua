-- expect: :2: segmented_reduce: segments is "heads"; give "flags" or "keys"
return segmented_reduce { segments = "heads", monoid = sum(u32) }
