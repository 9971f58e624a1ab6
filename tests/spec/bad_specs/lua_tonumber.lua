-- expect: :4: tonumber: u32 is a value of an expression, not a Lua number; write a type, as in u32(x)
-- Lua's own functions do not take expressions
return scan { monoid = sum(u32), map = function(x)
    local y = u32(tonumber(x))
    return y
end }
