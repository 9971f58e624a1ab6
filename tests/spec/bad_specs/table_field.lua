-- expect: :3: the table f32[2]: the index is first; give one integer, counted from 0
local weights = table_of(f32, { 1, 2 })
return map { input = f32, output = function(x) return weights.first end }
