-- expect: :2: a pipeline has no 'gather'; it has input, output
return pipeline(function(p) p.gather {} end)
