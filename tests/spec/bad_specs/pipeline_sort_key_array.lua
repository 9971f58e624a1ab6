-- expect: :3: p.sort: key is the array x; write keys = that array, and no type
return pipeline(function(p) local x = p.input("x", u32)
  p.output("y", p.sort { key = x }) end)
