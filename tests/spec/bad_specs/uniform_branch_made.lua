-- expect: :4: map: with x = 0, a = 976 it returns 1, but traced 0
local a = uniform("a", i32)
local next_a = a + 1
local function is_last() return next_a == 977 end
return scan { monoid = sum(i32), map = function(x)
  if is_last() then return x + 1 end
  return x
end }
