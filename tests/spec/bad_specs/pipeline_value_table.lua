-- expect: :4: table_of: entry [1], counted from 0 is 'reduce_1', which is known only when the pipeline runs
return pipeline(function(p) local x = p.input("x", u32)
  local total = p.reduce { monoid = sum(u32), input = x }
  local t = table_of(u32, { 3, total })
  p.output("y", p.map({ x }, function(v) return v + t[v % 2] end)) end)
