-- expect: :5: p.output: no array can be called 'n', which has a meaning beside arrays
return pipeline(function(p)
  local x = p.input("x", f32)
  local y = p.map({ x }, function(v) return v * 2 end)
  p.output("n", y)
end)
