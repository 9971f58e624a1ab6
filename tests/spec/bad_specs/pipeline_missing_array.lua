-- expect: :3: p.sort: keys are missing; write keys = an array
return pipeline(function(p) local x = p.input("x", u32)
  p.output("y", p.sort { key = u32 }) end)
