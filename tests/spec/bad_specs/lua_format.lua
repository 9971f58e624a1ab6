-- expect: :4: string.format: u32 is a value of an expression, not a Lua number; it has no text
-- Lua's own functions do not take expressions
return scan { monoid = sum(u32), map = function(x)
    local y = u32(string.format('%d', x))
    return y
end }
