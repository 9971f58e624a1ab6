-- expect: :2: segmented_scan: segments = "flags" takes no key
return segmented_scan { segments = "flags", key = u32, monoid = sum(u32) }
