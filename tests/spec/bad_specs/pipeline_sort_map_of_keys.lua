-- expect: :3: sort: there is no array for 'in'; write input = an array of the pipeline
return pipeline(function(p) local x = p.input("x", f32)
  p.output("y", p.sort { keys = x, key = f32, map = function(e) return e + 1 end }) end)
