-- expect: :2: append: order is "none"; give "input" or "any"
return append { input = u32, order = "none", length = function(x) return x end, item = function(x) return x end }
