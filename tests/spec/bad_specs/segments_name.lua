-- expect: : segmented_scan: inputs: 'segments' is the array that says where segments begin; call yours otherwise
return segmented_scan { segments = "flags", monoid = sum(u32), inputs = { {"segments", u32} }, map = function(e) return e.segments end }
