-- expect: :3: map: 'in' is what the operation calls its input; call yours otherwise
local a = uniform("in", u32)
return map { input = u32, output = function(x) return x + a end }
