-- expect: map: with x = 977 it returns
local K = 977
return scan { monoid = sum(u32), input = u32, map = function(x)
  if x == K then return u32(100) end
  return x
end }
