-- expect: :3: p.output: 'y' is the input 'x'
return pipeline(function(p) local x = p.input("x", u32)
  p.output("y", x) end)
