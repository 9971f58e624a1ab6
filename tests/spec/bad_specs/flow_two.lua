-- expect: :5: combine: with a = {999, 71}, b = {999, 71} it returns {1, 142}, but traced {1998, 142}
local P = struct "P" { { "x", u32 }, { "y", u32 } }
return scan { monoid = monoid { type = P, identity = { 0, 0 }, laws = "trusted", combine = function(a, b)
    local x, y = a.x + b.x, a.y + b.y
    if a.x == 999 and b.y == 71 then x = u32(1) end
    return { x = x, y = y }
end } }
