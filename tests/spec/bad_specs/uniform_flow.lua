-- expect: :4: 'a == b' cannot be traced
local a = uniform("a", u32)
return map { input = u32, output = function(x)
  if x == a then return x end return x + 1
end }
