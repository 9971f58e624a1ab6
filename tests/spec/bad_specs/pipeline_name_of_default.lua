-- expect: :4: pipeline: two operations are called 'reduce_2'; give each a name
return pipeline(function(p) local x = p.input("x", u32)
  p.output("y", p.sort { name = "reduce_2", keys = x })
  p.output("t", p.reduce { monoid = sum(u32), input = x }) end)
