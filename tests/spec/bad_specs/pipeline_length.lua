-- expect: :2: p.input: a length of its own is not in this version
return pipeline(function(p) p.input("x", u32, "m") end)
