-- expect: :3: p.segmented_reduce: keys are u8, but key is u64; leave key out
return pipeline(function(p) local x, y = p.input("x", u8), p.input("y", u32)
  p.output("z", p.segmented_reduce { keys = x, input = y, key = u64, monoid = sum(u32) }.out) end)
