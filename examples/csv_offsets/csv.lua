-- Where the fields and records of a CSV file end (RFC 4180: fields in quotes may have commas, line ends and doubled quotes), for all bytes at once.
-- Every byte is a function from the parser's state before it to the state after it; such functions compose associatively.
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

return {
    scan {
        name = "states", doc = "the parser's state after each byte",
        monoid = compose, input = u8,
        map = function(byte) return transition_of[byte] end,
        output = function(f) return u8(apply(f, RECORD)) end,
    },
    scan {
        name = "counts", doc = "fields and records that have ended up to each byte",
        monoid = pair { fields = sum(u32), records = sum(u32), order = { "fields", "records" } }, input = u8,
        map = function(state) return { fields = u32(le(state, FIELD)), records = u32(eq(state, RECORD)) } end,
    },
}
