-- Splats by screen tile, within a tile from near to far; the result is each one's place in the input. 14 bits of a tile and 32 of a depth are
-- sorted in six passes.
spec_version(1)

local Splat = struct "Splat" { { "tile", u32 }, { "depth", f32 } }

return sort {
    name = "splats", doc = "splats by tile and depth",
    key = key { type = Splat, by = { { "tile", bits = 14 }, { "depth" } } },
    value = "index",
}
