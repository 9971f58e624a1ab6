-- expect: :3: map: .. but traced
return scan { monoid = sum(u32), map = function(x)
    return tostring(x) == "u32 expression" and x + 1 or x
end }
