-- expect: :2: p.input: the length of 'x' is "m"; give a whole number from 1 to 2147483647
return pipeline(function(p) p.input("x", u32, "m") end)
