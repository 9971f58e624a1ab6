-- expect: :3: p.segmented_scan: nothing says where segments begin; write flags =, keys = or offsets = an array of the pipeline
return pipeline(function(p) local x = p.input("x", u32)
  p.output("y", p.segmented_scan { monoid = sum(u32), input = x }) end)
