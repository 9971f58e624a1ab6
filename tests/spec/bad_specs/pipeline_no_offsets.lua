-- expect: :3: p.segmented_reduce: offsets: 'o' is no input of offsets; write p.input("o", u64, { segments =
return pipeline(function(p) local x, o = p.input("x", u32), p.input("o", u64)
  p.output("s", p.segmented_reduce { offsets = o, monoid = sum(u32), input = x }) end)
