-- expect: :5: init is 'reduce_1', which is known only when the pipeline runs; give a constant
return pipeline(function(p) local x = p.input("x", u32)
  local f = p.input("f", u8)
  local total = p.reduce { monoid = sum(u32), input = x }
  p.output("y", p.segmented_scan { monoid = sum(u32), input = x, flags = f, init = total }) end)
