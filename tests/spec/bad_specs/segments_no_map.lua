-- expect: :2: segmented_reduce: there are several inputs, but the monoid's type is f32; give map = function(e, i)
return segmented_reduce { monoid = sum(f32), segments = "flags", inputs = { {"x", f32}, {"y", f32} } }
