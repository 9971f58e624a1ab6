-- expect: :4: math.max: u32 is a value of an expression, not a Lua number; write max(a, b)
-- Lua's own functions do not take expressions
return scan { monoid = sum(u32), map = function(x)
    local y = math.max(x, 3)
    return y
end }
