-- expect: :2: p.output: 's' is nothing
return pipeline(function(p) p.map({ p.input("x", u32) }, function(x) return x end) p.output("s", total) end)
