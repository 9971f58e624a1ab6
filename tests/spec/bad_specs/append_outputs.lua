-- expect: :2: append has no parameter 'outputs'; it has input
return append { input = u32, length = function(x) return x end, outputs = { {"a", value = function(x) return x end} } }
