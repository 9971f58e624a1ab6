-- expect: :4: map: 'y' has as many elements as a uniform says, for which no room can be made; give length = a whole number
local m = uniform("m", u64)
return pipeline(function(p) local x = p.input("x", u32)
  p.output("y", p.map { input = x, outputs = { {"y", at = function(v) return v end, length = m, value = function(v) return v end} } }) end)
