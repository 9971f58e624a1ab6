-- expect: :2: pipeline: it has no output
return pipeline(function(p) p.scan { monoid = sum(u32), input = p.input("x", u32) } end)
