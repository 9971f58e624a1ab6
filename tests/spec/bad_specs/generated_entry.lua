-- expect: :2: map: inputs: entry 2 has generate; write {"w", generate = function(i) .. end}
return map { inputs = { {"x", u32}, {"w", u32, generate = function(i) return u32(i) end} }, output = function(e) return e.w end }
