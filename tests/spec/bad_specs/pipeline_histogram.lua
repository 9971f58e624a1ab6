-- expect: :2: histogram: not in this version; in a pipeline sort, then run_length_encode
return pipeline(function(p) p.histogram {} end)
