-- expect: :5: map: another call of it returns another expression .. outside
local calls = 0
return scan { monoid = sum(u32), map = function(x)
    calls = calls + 1
    return x + calls
end }
