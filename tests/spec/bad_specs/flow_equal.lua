-- expect: :4: combine: with a = 0 .. but traced .. == .. write eq, where, land, lor, lnot
local first = monoid { type = u32, identity = 0,
    combine = function(a, b)
        if a == 0 then return b end
        return a
    end,
}
return scan { monoid = first }
