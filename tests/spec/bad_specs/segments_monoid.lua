-- expect: :2: segmented_scan: monoid is missing; give one
return segmented_scan { segments = "flags" }
