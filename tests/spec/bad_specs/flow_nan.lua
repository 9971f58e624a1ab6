-- expect: :3: map: .. == .. write eq, where, land, lor, lnot
return scan { monoid = sum(f32), map = function(x)
    if x ~= x then return f32(0) end
    return x
end }
