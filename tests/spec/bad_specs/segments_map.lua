-- expect: :2: map: the result is u8, expected u32
return segmented_scan { segments = "flags", monoid = sum(u32), input = u8, map = function(x) return x end }
