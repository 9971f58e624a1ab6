-- expect: :2: segmented_sort: not in this version .. scan, reduce, sort, map
return segmented_sort { key = u32 }
