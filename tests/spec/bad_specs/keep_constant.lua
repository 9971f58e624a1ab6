-- expect: :2: keep of out: the result is Lua's true; return a condition of values, as in gt(x, 0)
return compact { input = u32, keep = function() return true end }
