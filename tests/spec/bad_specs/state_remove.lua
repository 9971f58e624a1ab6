-- expect: :4: map: another call of it fails .. outside
local weights = { 3 }
return scan { monoid = sum(u32), map = function(x)
    return x * table.remove(weights)
end }
