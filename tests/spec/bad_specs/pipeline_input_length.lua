-- expect: :3: map: 't' has 256 elements but 'x' has n elements; all arrays of an operation have one length
return pipeline(function(p) local x, t = p.input("x", u32), p.input("t", u32, 256)
  p.output("y", p.map({ x, t }, function(a, b) return a + b end)) end)
