-- expect: :3: segmented_scan: flags is the type u8; give an array of the pipeline
return pipeline(function(p) local x = p.input("x", u32)
  p.output("y", p.segmented_scan { monoid = sum(u32), input = x, flags = u8 }) end)
