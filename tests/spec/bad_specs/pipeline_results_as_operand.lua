-- expect: :5: div: reduce_1 has several outputs; name one, as in .a
return pipeline(function(p) local x = p.input("x", f32)
  local r = p.reduce { monoid = sum(f32), input = x,
    outputs = { { "a", value = function(s) return s end }, { "b", value = function(s) return s * 2 end } } }
  p.output("y", p.map({ x }, function(v) return v / r end)) end)
