-- expect: :3: 'x' is an array; write p.map({ x }
return pipeline(function(p) local x = p.input("x", u32)
  p.output("y", x + 1) end)
