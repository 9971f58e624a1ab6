-- expect: :3: brackets: combine(combine(a, b), c) == combine(a, combine(b, c)) fails for a = {close = .. laws = "trusted"
local Brackets = struct "Brackets" { { "close", u32 }, { "open", u32 } }
local m = monoid {
    name = "brackets", type = Brackets, identity = { 0, 0 }, laws = "strict",
    combine = function(a, b)
        local matched = min(a.open, b.close)
        return { close = a.close + b.close - matched, open = a.open + b.open - matched }
    end,
}
return scan { monoid = m }
