-- expect: :4: map: each call changes what 'seven' .. outside
local seven
return scan { monoid = sum(u32), map = function(x)
    if x == 7 then seven = 7 end
    return x
end, output = function(s) return seven and s + seven or s end }
