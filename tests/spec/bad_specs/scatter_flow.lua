-- expect: :2: at of y: with x =
return map { input = u32, outputs = { {"y", value = function(x) return x end, at = function(x) if x == 3 then return u32(0) end return x end} } }
