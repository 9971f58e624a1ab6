-- expect: :3: p.output: 'z' is the output 'y' already
return pipeline(function(p) local s = p.scan { monoid = sum(u32), input = p.input("x", u32) }
  p.output("y", s) p.output("z", s) end)
