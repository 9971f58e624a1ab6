-- expect: :3: scan: 'o' has offsets of segments; give it as offsets = o
return pipeline(function(p) local o = p.input("o", u64, { segments = 100 })
  p.output("s", p.scan { monoid = sum(u64), input = o }) end)
