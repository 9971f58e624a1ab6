-- expect: :3: brackets: combine(combine(a, b), c) == combine(a, combine(b, c)) fails for
local Brackets = struct "Brackets" { { "close", u32 }, { "open", u32 } }
local m = monoid {
    name = "brackets", type = Brackets, identity = { 0, 0 }, laws = "strict", sample = function(r) return { r:u32(), r:u32() } end,
    combine = function(a, b)
        local matched = min(a.open, b.close)
        return { close = a.close + b.close - matched, open = a.open + b.open - matched }
    end,
}
return scan { monoid = m }
