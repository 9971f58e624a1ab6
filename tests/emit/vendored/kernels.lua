-- What test_header puts into vendored headers: a ready-made sum, an operator of one's own that does not commute, a sort of pairs, and a
-- map that reads beside its elements.
local Map = struct "Map" { { "a", u32 }, { "b", u32 } } -- y -> a * y + b
local compose = monoid {
    type = Map, identity = Map(1, 0),
    combine = function(f, g) return Map(f.a * g.a, f.b * g.a + g.b) end,
}
local tune = not LARGE and { block = 64, items = 4 } or {} -- CPU drivers take minutes to compile larger tiles of sorts; -D LARGE=1: the planner's
return {
    scan { name = "running", doc = "sums so far */ ??/ of what came\\", monoid = sum(u32), tune = tune },
    scan { name = "maps", monoid = compose, kind = "exclusive", tune = tune },
    reduce { name = "total", monoid = sum(u32), tune = tune },
    map { name = "steps", input = u32, output = function(x, i, near) return x - near.before end, tune = tune },
    sort { name = "pairs", key = u32, value = u32, tune = tune },
}
