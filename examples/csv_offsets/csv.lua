-- Where the fields and records of a CSV file end (RFC 4180: fields in quotes may have commas, line ends and doubled quotes), for all bytes at once;
-- and two of its columns, as arrays. Every byte is a function from the parser's state before it to the state after it; such functions compose
-- associatively.
spec_version(1)

-- The states, after a byte. The first two say that a field has just ended, RECORD that a record has.
local RECORD, FIELD, BARE, QUOTED, QUOTE, CR <const> = 0, 1, 2, 3, 4, 5

-- A function from states to states is one number: three bits for each of up to eight states. States that are not named stay.
local function transition(next)
    local packed = 0
    for state = 0, 7 do packed = packed | (next[state] or state) << 3 * state end
    return u32(packed)
end

local function apply(f, state) return f >> 3 * state & 7 end

-- Outside quotes any byte but a quote does the same in each state; between quotes only a quote does something.
local function outside(state)
    return transition { [RECORD] = state, [FIELD] = state, [BARE] = state, [QUOTED] = QUOTED, [QUOTE] = state, [CR] = state }
end

-- A quote opens at the begin of a field, and closes; one right behind that was the first of a doubled one. In a bare field it is text.
local quote = transition { [RECORD] = QUOTED, [FIELD] = QUOTED, [BARE] = BARE, [QUOTED] = QUOTE, [QUOTE] = QUOTED, [CR] = BARE }

local compose = monoid {
    name = "composition", type = u32, identity = transition {},
    combine = function(f, g)
        local both = u32(0)
        for state = 0, 7 do both = both | apply(g, apply(f, state)) << 3 * state end
        return both
    end,
    sample = function(r) return r:u32(0, (1 << 24) - 1) end,
}

local transitions = {}
for byte = 0, 255 do transitions[byte + 1] = outside(BARE) end
for character, f in pairs { ['"'] = quote, [","] = outside(FIELD), ["\n"] = outside(RECORD), ["\r"] = outside(CR) } do
    transitions[character:byte() + 1] = f
end
local transition_of = table_of(u32, transitions)

local function states_of(bytes)
    return {
        name = "states", doc = "the parser's state after each byte",
        monoid = compose, input = bytes,
        map = function(byte) return transition_of[byte] end,
        output = function(f) return u8(apply(f, RECORD)) end,
    }
end

-- ---- columns ----

local NUMBERS, TEXTS <const> = NUMBERS or 4, TEXTS or 1 -- which ones, counted from 0

-- Which field of which record what follows belongs to.
local Place = struct "Place" { { "field", u32 }, { "record", u32 } }
local place = monoid {
    name = "place", type = Place, identity = Place(0, 0),
    combine = function(a, b) return Place(where(eq(b.record, 0), a.field, 0) + b.field, a.record + b.record) end,
}

-- A byte, the parser's state after it, and its column.
local Byte = struct "Byte" { { "byte", u8 }, { "state", u8 }, { "column", u16 } }

-- A byte as a map of the number before it: h -> h * 10 + digit.
local Map = struct "Map" { { "a", u32 }, { "b", u32 } }
local decimal = monoid {
    name = "decimal", type = Map, identity = Map(1, 0),
    combine = function(f, g) return Map(f.a * g.a, f.b * g.a + g.b) end,
}

local function is_end(state) return le(state, FIELD) end
local function is_last(e, near) return lor(is_end(e.state), near.last) end

-- Whether a byte is of its field's text: not the quotes around it, not the first of two quotes, not what ends a line.
local function is_text(e, near)
    local within = land(eq(e.state, QUOTED), lor(ne(e.byte, string.byte '"'), eq(near.before.state, QUOTE)))
    return lor(lor(eq(e.state, BARE), within), land(eq(e.state, CR), ne(near.after.state, RECORD)))
end

-- A byte's digit goes to the number of its field, which begins anew behind the end of another.
local function digit_of(e, near)
    local is_first = lor(near.first, is_end(near.before.state))
    local is_digit = land(ge(e.byte, string.byte "0"), le(e.byte, string.byte "9"))
    return Map(where(is_first, u32(0), where(is_digit, u32(10), 1)), where(is_digit, u32(e.byte) - string.byte "0", 0))
end

local columns = pipeline(function(p)
    local bytes = p.input("csv", u8)
    local placed = p.scan {
        monoid = place, kind = "exclusive", inputs = { byte = bytes, state = p.scan(states_of(bytes)) },
        map = function(e) return Place(u32(eq(e.state, FIELD)), u32(eq(e.state, RECORD))) end,
        output = function(before, e)
            return Byte(e.byte, e.state, where(eq(before.record, 0), u16.max, u16(before.field))) -- the first record has the names
        end,
    }
    local found = p.scan {
        monoid = pair { length = sum(u32), number = decimal, order = { "length", "number" } },
        input = placed,
        map = function(e, _, near) return { length = u32(land(eq(e.column, TEXTS), is_text(e, near))), number = digit_of(e, near) } end,
        outputs = {
            { "numbers", value = function(s) return s.number.b end,
                keep = function(_, e, _, near) return land(eq(e.column, NUMBERS), is_last(e, near)) end },
            { "text", value = function(_, e) return e.byte end,
                keep = function(_, e, _, near) return land(eq(e.column, TEXTS), is_text(e, near)) end },
            { "ends", value = function(s) return s.length end,
                keep = function(_, e, _, near) return land(eq(e.column, TEXTS), is_last(e, near)) end },
        },
    }
    p.output("numbers", found.numbers)
    p.output("text", found.text)
    p.output("ends", found.ends)
end, { name = "columns" })

return {
    scan(states_of(u8)),
    scan {
        name = "counts", doc = "fields and records that have ended up to each byte",
        monoid = pair { fields = sum(u32), records = sum(u32), order = { "fields", "records" } }, input = u8,
        map = function(state) return { fields = u32(le(state, FIELD)), records = u32(eq(state, RECORD)) } end,
    },
    columns,
}
