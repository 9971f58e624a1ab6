-- expect: :3: map: with x = 4711 it returns
return scan { monoid = sum(u32), input = u32, map = function(x)
    if x == (N or 4711) then return u32(7) end
    return x
end }
