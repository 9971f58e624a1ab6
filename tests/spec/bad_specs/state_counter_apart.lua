-- expect: :4: combine: each call changes what 'calls' .. outside
local calls = 0
local total = monoid { type = u32, identity = 0, combine = function(a, b)
    calls = calls + 1
    return a + b
end }
return scan { monoid = total, map = function(x) return x + calls end }
