-- expect: map: with x = 5002 it returns
local list = { 5001, 5003 }
return scan { monoid = sum(u32), input = u32, map = function(x)
  for _, k in ipairs(list) do if x + 1 == k then return u32(7) end end
  return x
end }
