-- expect: :2: segmented_scan: not in this version .. scan, reduce, sort, map
return segmented_scan { monoid = sum(u32) }
