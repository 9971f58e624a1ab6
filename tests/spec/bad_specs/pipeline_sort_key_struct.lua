-- expect: :4: p.sort: keys are vec(u32, 2), but key is Pair; leave key out, or give it the type vec(u32, 2)
local Pair = struct "Pair" { {"a", u32}, {"b", u32} }
return pipeline(function(p) local x = p.input("x", vec(u32, 2))
  p.output("y", p.sort { keys = x, key = key { type = Pair, by = { {"a"}, {"b"} } } }) end)
