-- expect: :3: p.sort: value = "index", but values are given; leave one of them out
return pipeline(function(p) local x, y = p.input("x", u32), p.input("y", f32)
  p.output("z", p.sort { keys = x, values = y, value = "index" }.values_out) end)
