-- expect: :3: p.sort: keys are f32, but key is i32; leave key out, or give it the type f32
return pipeline(function(p) local x = p.input("x", f32)
  p.output("y", p.sort { keys = x, key = key { type = i32, bits = { 0, 8 } } }) end)
