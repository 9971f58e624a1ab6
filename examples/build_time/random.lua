-- A linear congruential generator, all of its numbers at once: y[i] = 1664525 * y[i - 1] + 1013904223 + x[i], where x stirs it.
spec_version(1)

local Map = struct "Map" { { "a", u32 }, { "b", u32 } } -- y -> a * y + b

local compose = monoid {
    type = Map,
    identity = Map { a = 1, b = 0 },
    combine = function(f, g) return Map { a = f.a * g.a, b = f.b * g.a + g.b } end,
}

return scan {
    name = "numbers", doc = "numbers of a linear congruential generator",
    monoid = compose, input = u32,
    map = function(x) return Map { a = 1664525, b = x + 1013904223 } end,
    output = function(f) return f.b end,
}
