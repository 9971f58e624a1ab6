-- expect: map: with x = 977 it returns
return scan { monoid = sum(u32), input = u32, map = function(x)
  local t = 11 + 12 + 13 + 14 + 15 + 16 + 17 + 18 + 19 + 20 + 21 + 22
  if x == 977 then return u32(100) end
  return x + t
end }
