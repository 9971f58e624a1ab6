-- expect: :3: map: with x = 255 it returns 7, but traced 255
return scan { monoid = sum(u32), input = u32, map = function(x)
    if x == 2^8 - 1 then return u32(7) end
    return x
end }
