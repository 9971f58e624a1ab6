-- expect: :4: p.reduce: its result 'total' has the name of another value or uniform; call the operation otherwise
local u = uniform("total", f32)
return pipeline(function(p) local x = p.input("x", u32)
  local total = p.reduce { name = "total", monoid = sum(u32), input = x }
  p.output("t", p.map({ x }, function(e) return f32(e + total) * u end)) end)
