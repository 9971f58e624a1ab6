-- The words of a text, the longest first; words of one length by their first four letters, equal ones in the order of the text: what
-- `sort -s -k1,1nr -k2,2` makes of lines with length and letters. A word is a record of LETTERS bytes that ends in blanks; the result is
-- each one's place in the text.
spec_version(1)

local LETTERS = 24

local fields = {}
for k = 1, LETTERS do fields[k] = { "letter" .. k, u8 } end
local Word = struct "Word" (fields)

local Rank = struct "Rank" { { "length", u32 }, { "start", u32 } }

local function rank_of(word)
    local length, start = u32(0), u32(0)
    for k = 1, LETTERS do
        local letter = word["letter" .. k]
        length = length + where(eq(letter, 32), u32(0), 1)
        if k <= 4 then start = start << 8 | u32(letter) end
    end
    return Rank(length, start)
end

return sort {
    name = "words", doc = "places of a text's words by length and first letters",
    input = Word, map = rank_of,
    key = key { type = Rank, by = { { "length", bits = 5, order = "descending" }, { "start" } } },
    value = "index",
}
