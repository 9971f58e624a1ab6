-- expect: :4: math.floor: f32 is a value of an expression, not a Lua number; write floor(x)
-- Lua's own functions do not take expressions
return scan { monoid = sum(u32), map = function(x)
    local y = u32(math.floor(f32(x) / 2))
    return y
end }
