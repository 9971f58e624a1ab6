-- expect: output returns a number .. u32(x)
return scan { monoid = sum(u32), output = function(s) return 3 end }
