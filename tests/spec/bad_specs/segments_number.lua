-- expect: : near.segment is known in outputs of a segmented_scan without reverse alone
return segmented_scan { segments = "flags", monoid = sum(u32), reverse = true, output = function(s, x, i, near) return near.segment end }
