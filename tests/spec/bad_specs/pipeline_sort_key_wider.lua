-- expect: :3: p.sort: keys are u8, but key is u64; leave key out
return pipeline(function(p) local x = p.input("x", u8)
  p.output("y", p.sort { keys = x, key = u64 }) end)
