-- expect: :5: map: .. was kept
local first
return scan { monoid = sum(u32), map = function(x)
    first = first or x
    return x + first
end }
