-- expect: :3: p.segmented_scan: nothing says where segments begin; write flags = or keys = an array of the pipeline
return pipeline(function(p) local x = p.input("x", u32)
  p.output("y", p.segmented_scan { monoid = sum(u32), input = x }) end)
