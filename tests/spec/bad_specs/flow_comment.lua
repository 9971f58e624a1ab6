-- expect: map: with x = 3 it returns
return scan { monoid = sum(u32), input = u32, map = function(x)
  --[[ three is special ]] if x == 3 then return u32(100) end
  return x
end }
