-- expect: :6: p.output: two arrays are called 'y'
return pipeline(function(p)
  local x = p.input("x", f32)
  p.output("y", p.map({ x }, function(v) return v * 2 end))
  local b = p.map({ x }, function(v) return v * 3 end)
  p.output("y", b)
end)
