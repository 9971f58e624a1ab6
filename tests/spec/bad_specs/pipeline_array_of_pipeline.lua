-- expect: :5: the operation a has no 'y'; it cannot be part of a pipeline: in that write its operations, as p.scan
local a = pipeline(function(p) p.output("y", p.map({ p.input("x", u32) }, function(v) return v end)) end, { name = "a" })
return pipeline(function(p)
  local x = p.input("x", u32)
  p.output("z", p.map({ x, a.y }, function(v, w) return v + w end)) end)
