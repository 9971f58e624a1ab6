-- expect: :2: math.random: the expression would have one number for every element
local function noise(scale) return math.random() * scale end
local total = monoid { type = f32, identity = 0, laws = "trusted", combine = function(a, b)
    return a + b + noise(0.5)
end }
return scan { monoid = total }
