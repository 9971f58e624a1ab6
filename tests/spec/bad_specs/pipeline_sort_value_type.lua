-- expect: :3: p.sort: values are f32, but value is u8; leave value out
return pipeline(function(p) local x, y = p.input("x", u32), p.input("y", f32)
  p.output("z", p.sort { keys = x, values = y, value = u8 }.values_out) end)
