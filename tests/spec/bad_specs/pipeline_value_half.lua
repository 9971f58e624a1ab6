-- expect: :4: a uniform has no value here, nor has a pipeline's single value: the operation runs later
return pipeline(function(p) local x = p.input("x", u32)
  local total = p.reduce { monoid = sum(u32), input = x }
  p.output("y", p.scan { monoid = sum(u32), input = x, init = total * 2 }) end)
