-- The order in which Gaussian splats are blended: a copy of each splat for every screen tile that it covers; the copies by tile, within a tile from
-- near to far; of each tile where its copies begin and end. 12 bits of a tile and 32 of a depth are sorted in six passes. How many copies there are
-- stays on the device.
spec_version(1)

local COLUMNS, ROWS, MOST_COPIES <const> = 80, 45, 1 << 18 -- as in main.c

-- right and bottom are not among the tiles that it covers
local Splat = struct "Splat" { { "depth", f32 }, { "left", u32 }, { "right", u32 }, { "top", u32 }, { "bottom", u32 } }
local Copy = struct "Copy" { { "tile", u32 }, { "depth", f32 }, { "splat", u32 } }

return pipeline(function(p)
    local copies = p.append {
        name = "copies", input = p.input("splats", Splat), capacity = MOST_COPIES,
        length = function(s) return (s.right - s.left) * (s.bottom - s.top) end,
        item = function(s, i, k)
            local width = s.right - s.left
            return Copy { tile = (s.top + k / width) * COLUMNS + s.left + k % width, depth = s.depth, splat = u32(i) }
        end,
    }
    local sorted = p.sort { keys = copies.out, key = key { type = Copy, by = { { "tile", bits = 12 }, { "depth" } } } }
    local ranges = p.map {
        input = sorted,
        outputs = {
            { "begins", length = COLUMNS * ROWS, at = function(c) return c.tile end, value = function(_, i) return u32(i) end,
                keep = function(c, _, near) return lor(near.first, ne(near.before.tile, c.tile)) end },
            { "ends", length = COLUMNS * ROWS, at = function(c) return c.tile end, value = function(_, i) return u32(i) + 1 end,
                keep = function(c, _, near) return lor(near.last, ne(near.after.tile, c.tile)) end },
        },
    }
    p.output("sorted", sorted)
    p.output("begins", ranges.begins)
    p.output("ends", ranges.ends)
end, { name = "splats" })
