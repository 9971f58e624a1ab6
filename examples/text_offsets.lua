-- Where every byte of a text stands: its line, word and column; and the text's lines, words and longest line.
-- Words are those of `wc -w` in the C locale: whitespace separates them, a printable character begins or continues one, and any
-- other byte changes nothing.
spec_version(1)

-- A stretch of text is a function of what came before it: whether that ended inside a word.
local Text = struct "Text" {
    { "lines", u32 },              -- newlines
    { "column", u32 },             -- bytes after the last newline; all, without one
    { "words_after_space", u32 },  -- words that begin here when what came before ended outside a word
    { "words_after_letter", u32 }, -- .. inside a word
    { "keep", u8 }, { "set", u8 }, -- ends inside a word: (was inside & keep) | set, bit 0
}

local function is_odd(bits) return ne(bits & 1, 0) end

local text = monoid {
    type = Text,
    identity = { lines = 0, column = 0, words_after_space = 0, words_after_letter = 0, keep = 255, set = 0 },
    combine = function(a, b)
        local function words(inside) return where(is_odd(inside), b.words_after_letter, b.words_after_space) end
        return {
            lines = a.lines + b.lines,
            column = where(eq(b.lines, 0), a.column, 0) + b.column,
            words_after_space = a.words_after_space + words(a.set),
            words_after_letter = a.words_after_letter + words(a.keep | a.set),
            keep = a.keep & b.keep,
            set = (a.set & b.keep) | b.set,
        }
    end,
}

local function is_newline(byte) return eq(byte, 10) end
local function is_space(byte) return lor(eq(byte, 32), land(ge(byte, 9), le(byte, 13))) end
local function is_letter(byte) return land(gt(byte, 32), lt(byte, 127)) end

local function text_of(byte)
    local newline, letter = is_newline(byte), is_letter(byte)
    return Text {
        lines = where(newline, u32(1), 0), column = where(newline, u32(0), 1),
        words_after_space = where(letter, u32(1), 0), words_after_letter = 0,
        keep = where(lor(letter, is_space(byte)), u8(0), 255), set = where(letter, u8(1), 0),
    }
end

-- The longest line: what is before the first newline and after the last one may still grow.
local Lines = struct "Lines" { { "newlines", u32 }, { "head", u32 }, { "tail", u32 }, { "longest", u32 } }

local lines = monoid {
    type = Lines,
    identity = { newlines = 0, head = 0, tail = 0, longest = 0 },
    combine = function(a, b)
        local a_ends, b_ends = gt(a.newlines, 0), gt(b.newlines, 0)
        return {
            newlines = a.newlines + b.newlines,
            head = where(a_ends, a.head, where(b_ends, a.tail, a.head) + b.head),
            tail = where(b_ends, b.tail, a.tail + b.tail),
            longest = max(max(a.longest, b.longest), where(land(a_ends, b_ends), a.tail + b.head, 0)),
        }
    end,
}

local function lines_of(byte)
    local newline = is_newline(byte)
    local length = where(newline, u32(0), 1)
    return Lines { newlines = where(newline, u32(1), 0), head = length, tail = length, longest = 0 }
end

local Place = struct "Place" { { "line", u32 }, { "word", u32 }, { "column", u32 } } -- from 1; word 0: in none
local Totals = struct "Totals" { { "lines", u32 }, { "words", u32 }, { "longest", u32 } }

return {
    scan {
        name = "offsets", doc = "line, word and column of every byte",
        kind = "exclusive", monoid = text, input = u8, map = text_of,
        output = function(before, byte)
            local inside, letter = is_odd(before.set), is_letter(byte)
            local begins = land(letter, lnot(inside))
            local in_word = lor(letter, land(inside, lnot(is_space(byte))))
            return Place {
                line = before.lines + 1,
                word = where(in_word, before.words_after_space + where(begins, u32(1), 0), 0),
                column = before.column + 1,
            }
        end,
    },
    reduce {
        name = "totals", doc = "lines, words and the longest line's bytes",
        monoid = pair { text = text, lines = lines, order = { "text", "lines" } }, input = u8,
        map = function(byte) return { text = text_of(byte), lines = lines_of(byte) } end,
        output = function(all)
            local longest = max(all.lines.longest, max(all.lines.head, all.lines.tail))
            return Totals { lines = all.text.lines, words = all.text.words_after_space, longest = longest }
        end,
    },
}
