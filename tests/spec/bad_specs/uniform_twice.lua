-- expect: :3: uniform: two are called 'a'
local a = uniform("a", u32)
local b = uniform("a", f32)
return map { input = u32, output = function(x) return x + a end }
