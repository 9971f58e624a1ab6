-- expect: :3: p.sort: keys are missing; write keys = an array of the pipeline in the place of input
return pipeline(function(p) local x = p.input("x", u32)
  p.output("y", p.sort { input = x }) end)
