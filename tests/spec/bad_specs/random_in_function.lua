-- expect: :4: math.random: the expression would have one number for every element; draw it outside of the function
local weight = math.random(10)
return scan { monoid = sum(u32), map = function(x)
    return x * weight + math.random(10)
end }
