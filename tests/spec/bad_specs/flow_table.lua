-- expect: :4: map: .. == .. write eq, where, land, lor, lnot
local weight = { [0] = 7, 3, 9 }
return scan { monoid = sum(u32), map = function(x)
    return u32(weight[x] or 1)
end }
