-- expect: :3: p.output: 'y': compact_1 has several outputs; name one, as in .out
return pipeline(function(p) local x = p.input("x", u32)
  p.output("y", p.compact { input = x, keep = function(v) return gt(v, 3) end }) end)
