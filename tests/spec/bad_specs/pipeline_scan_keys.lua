-- expect: :3: scan has no parameter 'keys'
return pipeline(function(p) local x = p.input("x", u8)
  p.output("z", p.scan { monoid = sum(u8), input = x, keys = x }) end)
