-- expect: :2: value of out takes at most 1 value, this function wants 2; leave out the others
return segmented_reduce { segments = "offsets", monoid = sum(f32), output = function(s, other) return s * other end }
