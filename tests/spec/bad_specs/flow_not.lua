-- expect: :4: map: .. == .. write eq, where, land, lor, lnot
return scan { monoid = sum(u32), map = function(x)
    local odd = not eq(x & 1, 0)
    return odd and x or x + 1
end }
