-- expect: :3: map: .. it returns an error, but traced .. == .. write eq, where, land, lor, lnot
return scan { monoid = sum(u32), map = function(x)
    assert(lt(x, 2), "too large")
    return x
end }
