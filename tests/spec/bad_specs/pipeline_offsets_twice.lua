-- expect: :2: p.input: a pipeline has one array of offsets; make two pipelines of it
return pipeline(function(p) local o, q = p.input("o", u64, { segments = 100 }), p.input("q", u64, { segments = 100 }) end)
