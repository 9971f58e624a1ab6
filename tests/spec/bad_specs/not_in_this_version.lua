-- expect: :2: segmented_sort: not in this version; sort by a struct that begins with the segment's number
return segmented_sort { key = u32 }
