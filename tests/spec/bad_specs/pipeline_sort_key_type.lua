-- expect: :3: p.sort: keys are f32, but key is u32; leave key out
return pipeline(function(p) local x = p.input("x", f32)
  p.output("y", p.sort { keys = x, key = u32 }) end)
