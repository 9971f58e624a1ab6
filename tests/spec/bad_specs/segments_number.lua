-- expect: : near has no 'segment'; it has before, after, first, last, head, tail, segment; the last three
return segmented_scan { segments = "flags", monoid = sum(u32), reverse = true, output = function(s, x, i, near) return near.segment end }
