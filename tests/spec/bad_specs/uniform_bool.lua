-- expect: :2: uniform: bool has no place in memory
local a = uniform("a", bool)
return map { input = u32, output = function(x) return where(a, x, 0) end }
