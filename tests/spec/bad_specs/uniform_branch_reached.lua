-- expect: :5: map: with x = 1, p = {5, 7} it returns 2, but traced 1
local P = struct "P" { { "low", u32 }, { "high", u32 } }
local settings = { limits = uniform("p", P) }
return scan { monoid = sum(u32), map = function(x)
  if settings.limits.high == 7 then return x + 1 end
  return x
end }
