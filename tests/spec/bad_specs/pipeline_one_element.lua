-- expect: :3: map: 'reduce_1' is one element, no array
return pipeline(function(p) local x = p.input("x", u32)
  p.output("y", p.map({ p.reduce { monoid = sum(u32), input = x } }, function(a) return a end)) end)
