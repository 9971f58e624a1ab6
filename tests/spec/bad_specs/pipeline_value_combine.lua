-- expect: :4: combine uses the value 'reduce_1', but a monoid or an order is the same in every run; use it where elements are read
return pipeline(function(p) local x = p.input("x", u32)
  local total = p.reduce { monoid = sum(u32), input = x }
  local m = monoid { type = u32, identity = 0, combine = function(a, b) return a + b + total end }
  p.output("y", p.scan { monoid = m, input = x }) end)
