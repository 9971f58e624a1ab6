-- expect: :3: p.map: the function takes 4 values
return pipeline(function(p) local x, y = p.input("x", u32), p.input("y", u32)
  p.output("z", p.map({ x, y }, function(a, b, i, near) return a end)) end)
