-- expect: :2: segmented_scan: segments is missing; give "offsets", "flags" or "keys"
return segmented_scan { monoid = sum(u32) }
