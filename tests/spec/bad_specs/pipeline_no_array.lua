-- expect: :2: scan: input is the type u32; give an array of the pipeline
return pipeline(function(p) p.output("s", p.scan { monoid = sum(u32), input = u32 }) end)
