-- expect: :6: 'b_c' of the pipeline 'a' and 'c' of the pipeline 'a_b' are both called 'a_b_c' in what is generated; rename one
return {
  pipeline(function(p) local x = p.input("x", u32)
    p.output("z", p.map { name = "b_c", input = x, output = function(v) return v end }) end, { name = "a" }),
  pipeline(function(p) local x = p.input("x", u32)
    p.output("z", p.map { name = "c", input = x, output = function(v) return v + 1 end }) end, { name = "a_b" }),
}
