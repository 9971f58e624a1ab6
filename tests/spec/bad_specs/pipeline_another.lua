-- expect: :4: scan: input: 'x' is an array of another pipeline
local kept
local first = pipeline(function(p) kept = p.input("x", u32) p.output("s", p.scan { monoid = sum(u32), input = kept }) end, { name = "a" })
return { first, pipeline(function(p) p.output("s", p.scan { monoid = sum(u32), input = kept }) end, { name = "b" }) }
