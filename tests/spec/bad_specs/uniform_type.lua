-- expect: :2: uniform: expected a type, not a number
local a = uniform("a", 3)
return map { input = u32, output = function(x) return x + a end }
