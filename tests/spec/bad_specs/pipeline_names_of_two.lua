-- expect: :4: pipeline: two operations are called 's'; give each a name
return pipeline(function(p) local x = p.input("x", u32)
  p.output("y", p.sort { name = "s", keys = x })
  p.output("t", p.scan { name = "s", monoid = sum(u32), input = x }) end)
