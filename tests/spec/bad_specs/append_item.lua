-- expect: :3: append: item is a source; give item = function(x, i, k) .. end
local copy = source { parameters = {"x"}, type = u32, glsl = "return x;", cuda = "return x;" }
return append { input = u32, length = function(x) return x end, item = copy }
