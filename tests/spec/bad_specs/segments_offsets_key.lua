-- expect: :2: segmented_reduce: segments = "offsets" takes no key; leave it out, or take "keys"
return segmented_reduce { segments = "offsets", key = u32, monoid = sum(u32) }
