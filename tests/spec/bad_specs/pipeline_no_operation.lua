-- expect: :2: pipeline: it has no operation
return pipeline(function(p) p.input("x", u32) end)
