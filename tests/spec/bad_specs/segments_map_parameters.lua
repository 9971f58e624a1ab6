-- expect: :2: map takes at most 3 values, this function wants 4; leave out the others
return segmented_reduce { segments = "offsets", monoid = sum(f32), map = function(x, i, near, other) return x * other end }
