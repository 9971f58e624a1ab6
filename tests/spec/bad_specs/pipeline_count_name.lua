-- expect: :5: pipeline: two arrays are called 'r_count', as the count of 'r' is; give each a name of its own
return pipeline(function(p) local x = p.input("x", u32)
  local kept = p.compact { input = x, keep = function(v) return gt(v, 3) end }
  p.output("r", kept.out)
  p.output("r_count", p.map({ x }, function(v) return v + 1 end)) end)
