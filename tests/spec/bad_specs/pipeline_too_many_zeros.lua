-- expect: :4: pipeline: more than 16 operations (zeroing an array that is not wholly written is one); make two
return pipeline(function(p) local x = p.input("x", u32)
  for k = 1, 9 do
    x = p.map { input = x, outputs = { {"y", at = function(v, i) return i end, value = function(v) return v end} } }
  end
  p.output("y", x) end)
