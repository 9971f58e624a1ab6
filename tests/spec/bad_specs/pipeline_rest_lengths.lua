-- expect: :4: map: 'partition_1_out' has 'partition_1_count' elements but 'partition_1_rest' has 'partition_1_rest_count' elements
return pipeline(function(p) local x = p.input("x", u32)
  local parts = p.partition { input = x, first = function(v) return gt(v, 3) end }
  p.output("y", p.map({ parts.out, parts.rest }, function(a, b) return a + b end)) end)
