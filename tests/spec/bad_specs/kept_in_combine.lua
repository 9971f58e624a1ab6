-- expect: :6: map: .. was kept
local kept
local total = monoid { type = u32, identity = 0, combine = function(a, b)
    kept = kept or a
    return a + b
end }; local function map(x) return x + kept end
return scan { monoid = total, map = map }
