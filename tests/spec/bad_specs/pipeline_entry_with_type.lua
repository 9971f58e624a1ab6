-- expect: :3: p.map: inputs: 'x' has more than a name and an array
return pipeline(function(p) local x = p.input("x", u8)
  p.output("z", p.map { inputs = { { "x", x, u64 } }, output = function(e) return e.x end }) end)
