-- expect: :3: weights[f32]: the index must be an integer; convert it, as in u32(x)
local weights = table_of(f32, { 1, 2 })
return map { input = f32, output = function(x) return weights[x] end }
