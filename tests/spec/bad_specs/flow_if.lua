-- expect: :3: map: .. == .. write eq, where, land, lor, lnot
return scan { monoid = sum(i32), map = function(x)
    if lt(x, 0) then
        return i32(0)
    end
    return x
end }
