-- expect: :2: p.input has no parameter 'segment'; did you mean 'segments'?
return pipeline(function(p) p.input("o", u64, { segment = 100 }) end)
