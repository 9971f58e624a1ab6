-- expect: :3: p.sort: it does not read 'keys'; leave it out
return pipeline(function(p) local x, y = p.input("x", u32), p.input("y", f32)
  p.output("z", p.sort { keys = x, input = y, key = u32, map = function(e) return u32(e) end }) end)
