-- expect: : two arrays are called 'segments'; give each a name of its own
return segmented_scan { segments = "flags", monoid = sum(u32), inputs = { {"segments", u32} }, map = function(e) return e.segments end }
