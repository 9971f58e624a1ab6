-- expect: :2: a pipeline has no 'histogram'; it has input, output
return pipeline(function(p) p.histogram {} end)
