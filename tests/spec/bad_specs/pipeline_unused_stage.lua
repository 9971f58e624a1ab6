-- expect: :3: reduce: nothing uses what it makes
return pipeline(function(p) local x = p.input("x", u32)
  local y = p.reduce { monoid = sum(u32), input = x }
  p.output("s", p.scan { monoid = sum(u32), input = x }) end)
