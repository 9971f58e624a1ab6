-- expect: :2: segmented_scan: key: expected a type, not nothing
return segmented_scan { segments = "keys", monoid = sum(u32) }
