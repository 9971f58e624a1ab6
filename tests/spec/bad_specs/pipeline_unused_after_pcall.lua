-- expect: :4: p.input: 'y' is not used
return pipeline(function(p)
  local x = p.input("x", u32)
  local y = p.input("y", u32, 7)
  assert(not pcall(p.map, { x, y }, function(v, w) return v + w end))
  p.output("s", p.scan { monoid = sum(u32), input = x })
end)
