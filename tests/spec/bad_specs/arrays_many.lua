-- expect: :4: map: more than 8 arrays
local list = {}
for i = 1, 5 do list[i] = { "x" .. i, u32 } end
return map { inputs = list, outputs = { {"a", value = function(e) return e.x1 end}, {"b", value = function(e) return e.x2 end}, {"c", value = function(e) return e.x3 end}, {"d", value = function(e) return e.x4 end} } }
