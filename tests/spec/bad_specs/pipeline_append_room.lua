-- expect: :4: append: there is room for as many items as 'compact_1_count' says, a number that only the device knows; give capacity
return pipeline(function(p) local x = p.input("x", u32)
  local kept = p.compact { input = x, keep = function(v) return gt(v, 3) end }
  local items = p.append { input = kept.out, length = function() return 2 end, item = function(v) return v end }
  p.output("s", p.scan { monoid = sum(u32), input = items.out }) end)
