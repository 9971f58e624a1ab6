-- expect: :3: p.segmented_reduce: segments is "flags", but keys are given; leave segments out
return pipeline(function(p) local x = p.input("x", u32)
  p.output("y", p.segmented_reduce { monoid = sum(u32), input = x, segments = "flags", keys = x }.out) end)
