-- expect: map: with x = 3 it returns
local t = { [3] = 100, [977] = 5 }
return scan { monoid = sum(u32), input = u32, map = function(x) return t[x] or x end }
