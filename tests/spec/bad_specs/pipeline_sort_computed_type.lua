-- expect: :3: p.sort: keys are u64, but key is u16; leave key out
return pipeline(function(p) local x = p.input("x", u32)
  p.output("y", p.sort { keys = p.map({ x }, function(e) return u64(e) end), key = u16 }) end)
