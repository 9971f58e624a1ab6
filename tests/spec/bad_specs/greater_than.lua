-- expect: :2: 'a < b' cannot be traced; write lt(a, b), and for '>' gt(a, b)
return scan { monoid = sum(u32), map = function(x) if x > 3 then return x end return x + 1 end }
