-- expect: :5: output: .. == .. write eq, where, land, lor, lnot
local Pair = struct "Pair" { { "low", u32 }, { "high", u32 } }
local function largest(p)
    -- one of two
    if p.high ~= 0 then return p.high end
    return p.low
end
local m = monoid { type = Pair, identity = { 0, 0 }, combine = function(a, b) return max(a.low, b.low) and { a.low | b.low, a.high | b.high } end }
return scan { monoid = m, output = function(s) return largest(s) end }
