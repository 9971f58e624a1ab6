-- expect: :3: map: another call of it returns another expression .. outside
local next_word = ("3 5 7 9"):gmatch("%d")
return scan { monoid = sum(u32), map = function(x) return x + math.tointeger(next_word() or 1) end }
