-- expect: :4: p.segmented_reduce: offsets: 'scan_1' is made in the pipeline, where nothing makes offsets; make them before, or give flags or keys
return pipeline(function(p) local x = p.input("x", u64)
  local o = p.scan { monoid = sum(u64), input = x, kind = "exclusive" }
  p.output("y", p.segmented_reduce { monoid = sum(u64), input = x, offsets = o }) end)
