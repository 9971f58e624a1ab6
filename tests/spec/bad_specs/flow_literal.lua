-- expect: :4: map: with x = 4711 it returns 1, but traced 4711: == .. write eq, where, land, lor, lnot
return scan { monoid = sum(u32), map = function(x)
    local found = x
    if x == 4711 then found = u32(1) end
    return found
end }
