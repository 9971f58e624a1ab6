-- expect: :3: map: 'y' is scattered
return pipeline(function(p) local x = p.input("x", u32)
  p.output("y", p.map { input = x, outputs = { {"y", at = function(v) return v end, value = function(v) return v end} } }) end)
