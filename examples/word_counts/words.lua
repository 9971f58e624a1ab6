-- How often each word of a text occurs: its words, packed; sorted; counted; how many there are stays on the device.
-- A word is a run of letters, capital or small; each comes as a number that its letters make, and the place of its last letter in the text. A number
-- has 48 bits, since a sort of 64 takes eight passes and not six: of a million words that differ, two have one number in one of 500 texts.
spec_version(1)

local function is_letter(byte) return lt((byte | 32) - 97, 26) end

-- A byte as a map of the two numbers before it: h -> h * base + code of a letter, h -> 0 of what ends a word. Two of 32 bits in two bases take fewer
-- instructions than one of 64.
local Map = struct "Map" { { "base", u32 }, { "other_base", u32 }, { "low", u32 }, { "high", u32 } }
local compose = monoid {
    type = Map, identity = Map(1, 1, 0, 0),
    combine = function(f, g)
        return Map(f.base * g.base, f.other_base * g.other_base, f.low * g.base + g.low, f.high * g.other_base + g.high)
    end,
}
local function map_of(byte)
    local code = u32(byte) & 31
    return where(is_letter(byte), Map(29, 0x9E3779B1, code, code), Map(0, 0, 0, 0))
end
local function number_of(s) return u64(s.high >> 16) << 32 | u64(s.low) end
local function is_last(_, byte, _, near) return land(is_letter(byte), lor(near.last, lnot(is_letter(near.after)))) end

local Count = struct "Count" { { "count", u32 }, { "place", u32 } }

local counted = monoid {
    type = Count, identity = Count(0, u32.max), commutative = true,
    combine = function(a, b) return Count(a.count + b.count, min(a.place, b.place)) end,
}

return pipeline(function(p)
    local words = p.scan {
        monoid = compose, input = p.input("text", u8), map = map_of,
        outputs = {
            { "word", keep = is_last, value = number_of },
            { "place", keep = is_last, value = function(_, _, i) return u32(i) end },
        },
    }
    local sorted = p.sort { keys = words.word, values = words.place }
    local groups = p.reduce_by_key {
        keys = sorted.keys_out, values = sorted.values_out, monoid = counted,
        map = function(place) return Count(1, place) end,
    }
    p.output("counts", groups.values_out)
end, { name = "word_counts" })
