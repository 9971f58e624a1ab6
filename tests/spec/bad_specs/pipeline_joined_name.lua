-- expect: :5: 'next' of the pipeline 'step' and the operation 'step_next' are both called 'step_next' in what is generated; rename one
return {
  pipeline(function(p) local x = p.input("x", u32)
    p.output("y", p.map { name = "next", input = x, output = function(v) return v + 1 end }) end, { name = "step" }),
  map { name = "step_next", input = u32, output = function(v) return v + 2 end },
}
