-- expect: :4: segmented_scan: 'compact_1_out' has 'compact_1_count' elements but 'f' has n elements
return pipeline(function(p) local x, f = p.input("x", u32), p.input("f", u8)
  local kept = p.compact { input = x, keep = function(v) return gt(v, 3) end }
  p.output("y", p.segmented_scan { monoid = sum(u32), input = kept.out, flags = f }) end)
