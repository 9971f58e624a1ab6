-- expect: :3: map: two arrays are called 'in'
local a = uniform("in", u32)
return map { input = u32, output = function(x) return x + a end }
