-- expect: :4: p.reduce: its result 's_count' has the name of another value or uniform; call the operation otherwise
return pipeline(function(p) local x = p.input("x", u32)
  local c = p.compact { name = "s", input = x, keep = function(e) return gt(e, 5) end }
  local m = p.reduce { name = "s_count", monoid = sum(u32), input = x }
  p.output("t", p.map({ x }, function(e) return e + u32(c.count) * m end)) end)
