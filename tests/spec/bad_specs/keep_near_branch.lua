-- expect: keep of out: the result is Lua's true; return a condition of values, as in gt(x, 0); a branch on one is where(c, a, b)
return compact { input = u32, keep = function(x, i, near)
    if near.first then return true end
    return gt(x, 1)
end }
