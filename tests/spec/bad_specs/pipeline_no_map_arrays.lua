-- expect: :2: p.map: expected arrays, not nothing
return pipeline(function(p) p.map(nil, function(a) return a end) end)
