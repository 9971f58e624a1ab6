-- expect: :3: p.segmented_reduce: both flags and keys are given
return pipeline(function(p) local x, f = p.input("x", u32), p.input("f", u8)
  p.output("y", p.segmented_reduce { monoid = sum(u32), input = x, flags = f, keys = x }.out) end)
