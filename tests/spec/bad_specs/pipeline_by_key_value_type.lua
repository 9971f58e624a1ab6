-- expect: :3: p.reduce_by_key: values are u32, but value is f64; leave value out
return pipeline(function(p) local x, y = p.input("x", u8), p.input("y", u32)
  p.output("k", p.reduce_by_key { keys = x, values = y, value = f64, monoid = sum(f64) }.keys_out) end)
