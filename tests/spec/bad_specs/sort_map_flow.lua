-- expect: :2: map: with x = 
return sort { key = u32, map = function(x) if x == 0 then return u32(7) end return x end }
