-- expect: :2: pipeline: its function returns something; write p.output("y", y) for each output
return pipeline(function(p) return p.map({ p.input("x", u32) }, function(x) return x + x end) end)
