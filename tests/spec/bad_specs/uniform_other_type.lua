-- expect: :3: u32 + f32: convert one side
local a = uniform("a", f32)
return map { input = u32, output = function(x) return x + a end }
