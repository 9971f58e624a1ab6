-- expect: :3: p.map: expected a function, not a number
return pipeline(function(p) local x = p.input("x", u32)
  p.output("z", p.map({ x }, 1)) end)
