-- expect: :4: map: more than 8 arrays
local s = u32(0)
for k = 1, 7 do s = s + uniform("u" .. k, u32) end
return map { input = u32, output = function(x) return x + s end }
