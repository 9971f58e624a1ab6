-- expect: :2: p.output: two arrays are called 'x'
return pipeline(function(p) p.output("x", p.scan { monoid = sum(u32), input = p.input("x", u32) }) end)
