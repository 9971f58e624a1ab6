-- expect: :3: compact_1 has no output 'kept'; it has out, count
return pipeline(function(p) local x = p.input("x", u32)
  p.output("y", p.compact { input = x, keep = function(v) return gt(v, 3) end }.kept) end)
