-- expect: :7: output: .. was kept
local seen = {}
return scan { monoid = sum(u32), map = function(x)
    seen.x = x
    return x
end, output = function(s)
    return s - seen.x
end }
