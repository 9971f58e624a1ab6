-- expect: :4: bad argument #1 to 'select' (number expected, got userdata); a value of an expression is no Lua number; use the language's own
-- Lua's own functions do not take expressions
return scan { monoid = sum(u32), map = function(x)
    local y = select(x, u32(1), u32(2))
    return y
end }
