-- expect: :3: p.reduce_by_key: keys are u8, but key is u64; leave key out
return pipeline(function(p) local x, y = p.input("x", u8), p.input("y", u32)
  p.output("k", p.reduce_by_key { keys = x, values = y, key = u64, monoid = sum(u32) }.keys_out) end)
