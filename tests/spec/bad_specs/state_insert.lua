-- expect: map: each call changes what 'seen' .. outside
local seen = {}
return scan { monoid = sum(u32), map = function(x)
    table.insert(seen, x)
    return x
end, output = function(s) return s + #seen end }
