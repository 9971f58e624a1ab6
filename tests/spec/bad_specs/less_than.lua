-- expect: :3: 'a < b' cannot be traced; write lt(a, b)
return scan { monoid = monoid { type = u32, identity = 0, combine = function(a, b)
    if a < b then return b end
    return a
end } }
