-- expect: map: with x = 4 it returns
return scan { monoid = sum(u32), input = u32, map = function(x) if x * 2 + 1 == 9 then return u32(7) end return x end }
