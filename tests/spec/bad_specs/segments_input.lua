-- expect: :2: segmented_reduce: input is u8 but the monoid's type is u32; give map
return segmented_reduce { segments = "flags", monoid = sum(u32), input = u8 }
