-- expect: map: with x = 0 it returns
return scan { monoid = sum(u32), input = u32, map = function(x)
  return x + #string.format("%s", x)
end }
