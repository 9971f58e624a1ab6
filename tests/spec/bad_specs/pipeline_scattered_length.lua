-- expect: :4: map: 'map_1' has 16 elements but 'x' has n elements; all arrays of an operation have one length
return pipeline(function(p) local x = p.input("x", u32)
  local bins = p.map { input = x, outputs = { {"y", at = function(v) return v % 16 end, length = 16, value = function(v) return v end} } }
  p.output("z", p.map({ bins, x }, function(a, b) return a + b end)) end)
