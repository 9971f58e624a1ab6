-- expect: :5: map: another call of it returns another expression .. outside
local next_a = ("aaaaa"):gmatch("a")
return scan { monoid = sum(u32), map = function(x)
    if next_a() ~= nil then return x end
    return x + 1
end }
