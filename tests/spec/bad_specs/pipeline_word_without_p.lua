-- expect: :3: scan: input: the array x is of a pipeline; write p.scan { .. }
return pipeline(function(p) local x = p.input("x", u32)
  p.output("y", scan { monoid = sum(u32), input = x }) end)
