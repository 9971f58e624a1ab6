-- expect: :2: pipeline: no array can be called 'n'
return pipeline(function(p) p.output("n", p.scan { monoid = sum(u32), input = p.input("x", u32) }) end)
