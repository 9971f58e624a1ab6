-- expect: :3: p.input: 'y' is not used
return pipeline(function(p) local x = p.input("x", u32)
  local y = p.input("y", u32)
  p.output("s", p.scan { monoid = sum(u32), input = x }) end)
