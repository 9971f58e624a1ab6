-- expect: :2: uniform: name is a number
local a = uniform(3, u32)
return map { input = u32, output = function(x) return x + a end }
