-- expect: :2: .. global 'uint8_t' .. no such name here .. did you mean 'u8'?
return map { input = f32, output = function(x) return uint8_t(x) end }
