-- expect: :4: p.input: the pipeline's function is over
local kept
local a = pipeline(function(p) kept = p p.output("s", p.scan { monoid = sum(u32), input = p.input("x", u32) }) end)
kept.input("y", u32)
return a
