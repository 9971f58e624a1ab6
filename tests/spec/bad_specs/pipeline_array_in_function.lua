-- expect: :4: add: an operand is the array s, not an element of it; list it, as in p.map
return pipeline(function(p) local x = p.input("x", u32)
  local s = p.scan { name = "s", monoid = sum(u32), input = x }
  p.output("y", p.map({ x }, function(v) return v + s end)) end)
