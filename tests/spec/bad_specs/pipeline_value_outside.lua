-- expect: :4: 'reduce_1' is a value of a pipeline
local total
local first = pipeline(function(p) total = p.reduce { monoid = sum(u32), input = p.input("x", u32) } p.output("s", total) end, { name = "a" })
return { first, map { name = "b", input = u32, output = function(x) return x + total end } }
