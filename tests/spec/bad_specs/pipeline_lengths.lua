-- expect: :4: map: 'compact_1_out' has 'compact_1_count' elements but 'x' has n elements
return pipeline(function(p) local x = p.input("x", u32)
  local kept = p.compact { input = x, keep = function(v) return gt(v, 3) end }
  p.output("y", p.map({ kept.out, x }, function(a, b) return a + b end)) end)
