-- expect: :2: 'a == b' cannot be traced; write eq(a, b), and for '~=' ne(a, b)
return reduce { monoid = sum(u32), map = function(x, i) if x ~= u32(i) then return x end return x + 1 end }
