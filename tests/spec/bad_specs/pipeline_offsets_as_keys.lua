-- expect: :3: segmented_reduce: 'o' has offsets of segments; give it as offsets = o
return pipeline(function(p) local x, o = p.input("x", u64), p.input("o", u64, { segments = 100 })
  p.output("s", p.segmented_reduce { keys = o, monoid = sum(u64), input = x }.out) end)
