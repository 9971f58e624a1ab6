-- expect: :4: p.output: 'mean' is f32, which no operation makes; make it in one, as in p.reduce { .., output = function
return pipeline(function(p) local x = p.input("x", f32)
  local total = p.reduce { monoid = sum(f32), input = x }
  p.output("mean", total / f32(3)) end)
