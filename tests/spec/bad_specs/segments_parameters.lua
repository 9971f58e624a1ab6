-- expect: :2: output takes at most 4 values, this function wants 5; leave out the others
return segmented_scan { segments = "flags", monoid = sum(f32), output = function(s, x, i, near, other) return s * other end }
