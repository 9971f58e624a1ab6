-- expect: :3: sort: there is no array for 'keys'; write keys = an array
return pipeline(function(p) local x = p.input("x", u32)
  p.output("y", p.sort { key = u32 }) end)
