-- How often each word of a text occurs: its words, packed; sorted; counted; how many there are stays on the device.
-- A word is a run of letters, capital or small; each comes as a number that
-- its letters make, in base 29, and the place of its last letter in the text. Different words have one number about as often as 64 bits collide.
spec_version(1)

-- 0 of what is no letter, 1 to 26 of a letter.
local codes = {}
for byte = 0, 255 do
    local letter = string.char(byte):lower():match "%a"
    codes[byte + 1] = letter and letter:byte() - 96 or 0
end
local code = table_of(u8, codes)

-- A byte as a map of the number before it: h -> h * 29 + code of a letter, h -> 0 of what ends a word.
local Map = struct "Map" { { "a", u64 }, { "b", u64 } }
local compose = monoid {
    type = Map, identity = Map(1, 0),
    combine = function(f, g) return Map(f.a * g.a, f.b * g.a + g.b) end,
}
local function is_last(_, byte, _, near) return land(ne(code[byte], 0), lor(near.last, eq(code[near.after], 0))) end
local Count = struct "Count" { { "count", u32 }, { "place", u32 } }

local counted = monoid {
    type = Count, identity = Count(0, u32.max), commutative = true,
    combine = function(a, b) return Count(a.count + b.count, min(a.place, b.place)) end,
}

return pipeline(function(p)
    local words = p.scan {
        monoid = compose, input = p.input("text", u8),
        map = function(byte) return Map(where(eq(code[byte], 0), u64(0), 29), u64(code[byte])) end,
        outputs = {
            { "word", keep = is_last, value = function(s) return s.b end },
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
