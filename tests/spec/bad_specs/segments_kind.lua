-- expect: :2: segmented_scan: kind is "inclusive" or "exclusive"
return segmented_scan { segments = "flags", monoid = sum(u32), kind = "forward" }
