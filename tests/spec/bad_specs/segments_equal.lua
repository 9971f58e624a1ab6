-- expect: :2: segmented_scan: segments = "flags" takes no equal
return segmented_scan { segments = "flags", equal = eq, monoid = sum(u32) }
