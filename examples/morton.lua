-- Points in space along the Morton curve, so that neighbours in the array are neighbours in space: the order in which a tree over them
-- (a linear BVH, an octree) is built. Coordinates in [0, 1] become 10 bits each; bit k of x, y and z is bit 3 k + 2, 3 k + 1 and 3 k of the key.
-- Outputs: the keys and each point's place in the input.
spec_version(1)

-- The 10 lowest bits of x, two zeros after each.
local function spread(x)
    x = (x | x << 16) & 0x030000ff
    x = (x | x << 8) & 0x0300f00f
    x = (x | x << 4) & 0x030c30c3
    return (x | x << 2) & 0x09249249
end

local function cell(x) return u32(clamp(x * 1024, 0, 1023)) end

return sort {
    name = "morton", doc = "points by their 30-bit Morton codes",
    input = vec(f32, 3),
    map = function(p) return spread(cell(p.x)) << 2 | spread(cell(p.y)) << 1 | spread(cell(p.z)) end,
    key = key { type = u32, bits = { 0, 30 } },
    value = "index",
}
