-- expect: :3: p.segmented_scan: flags: 'f' is an array of u32; make it one of u8
return pipeline(function(p) local x, f = p.input("x", u32), p.input("f", u32)
  p.output("y", p.segmented_scan { monoid = sum(u32), input = x, flags = f }) end)
