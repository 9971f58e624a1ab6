-- expect: uniform: two are called 'segment_count'; make one
local count = uniform("segment_count", u64)
return segmented_reduce { segments = "offsets", monoid = sum(u32) }
