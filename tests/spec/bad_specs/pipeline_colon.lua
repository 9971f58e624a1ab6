-- expect: :2: p:scan: write p.scan, with a dot
return pipeline(function(p) p:scan { monoid = sum(u32) } end)
