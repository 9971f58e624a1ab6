-- expect: :3: scan: 'partition_1_rest' has as many elements as are not kept
return pipeline(function(p) local x = p.input("x", u32)
  p.output("y", p.scan { monoid = sum(u32), input = p.partition { input = x, first = function(v) return gt(v, 3) end }.rest }) end)
