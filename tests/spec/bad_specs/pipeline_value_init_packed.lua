-- expect: :4: init is 'reduce_1', which is known only when the pipeline runs; give a constant
return pipeline(function(p) local x = p.input("x", u32)
  local total = p.reduce { monoid = sum(u32), input = x }
  p.output("y", p.scan { monoid = sum(u32), input = x, init = total,
    outputs = { { "y", keep = function(s, v) return gt(v, 3) end, value = function(s) return s end } } }.y) end)
