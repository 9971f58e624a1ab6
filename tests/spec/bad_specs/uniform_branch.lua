-- expect: :4: output: with x = 2.0, gain = 1.0 it returns 102.0, but traced 2.0: ==, if, and, or, not
local gain = uniform("gain", f32)
return map { input = f32, output = function(x)
  if gain == 1 then return x + 100 end
  return x * gain
end }
