-- Whether a text is UTF-8, and where it first is not: all bytes at once. Each byte is a function from the decoder's state before it to the
-- state after it (Unicode, table 3-7: well-formed byte sequences); such functions compose associatively.
spec_version(1)

-- The states: between characters; wrong; one, two, three more bytes are expected; and after first bytes whose second byte has a range of its
-- own.
local DONE, WRONG, ONE, TWO, THREE, E0, ED, F0, F4 <const> = 0, 1, 2, 3, 4, 5, 6, 7, 8

local function next_state(state, byte)
    local function within(low, high, next) return byte >= low and byte <= high and next or nil end
    if state == DONE then
        return within(0x00, 0x7f, DONE) or within(0xc2, 0xdf, ONE) or within(0xe0, 0xe0, E0) or within(0xed, 0xed, ED) or within(0xe1, 0xef, TWO)
            or within(0xf0, 0xf0, F0) or within(0xf1, 0xf3, THREE) or within(0xf4, 0xf4, F4) or WRONG
    end
    local expected = {
        [ONE] = { 0x80, 0xbf, DONE }, [TWO] = { 0x80, 0xbf, ONE }, [THREE] = { 0x80, 0xbf, TWO },
        [E0] = { 0xa0, 0xbf, ONE }, [ED] = { 0x80, 0x9f, ONE }, [F0] = { 0x90, 0xbf, TWO }, [F4] = { 0x80, 0x8f, TWO },
    }
    return expected[state] and within(table.unpack(expected[state])) or WRONG
end

-- A function from states to states is one number of nine times four bits. A table has that of each byte.
local functions = {}
for byte = 0, 255 do
    functions[byte + 1] = 0
    for state = DONE, F4 do functions[byte + 1] = functions[byte + 1] | next_state(state, byte) << 4 * state end
end
local step = table_of(u64, functions)
local function apply(f, state) return f >> 4 * state & 15 end

local identity = 0
for state = DONE, F4 do identity = identity | state << 4 * state end
local compose = monoid {
    type = u64, identity = identity,
    combine = function(f, g)
        local both = u64(0)
        for state = DONE, F4 do both = both | apply(g, apply(f, state)) << 4 * state end
        return both
    end,
    sample = function(r)
        local f = 0
        for state = DONE, F4 do f = f | r:u32(DONE, F4) << 4 * state end
        return f
    end,
}

return {
    reduce {
        name = "valid", doc = "1 if all of the text is UTF-8, else 0", monoid = compose, input = u8,
        map = function(byte) return step[byte] end,
        output = function(f) return u32(eq(apply(f, DONE), DONE)) end,
    },
    scan {
        name = "states", doc = "the decoder's state after each byte", monoid = compose, input = u8,
        map = function(byte) return step[byte] end,
        output = function(f) return u8(apply(f, DONE)) end,
    },
    compact {
        name = "fault", doc = "the place of the byte that is wrong first, if there is one", input = u8,
        keep = function(state, _, near) return land(eq(state, WRONG), lor(near.first, ne(near.before, WRONG))) end,
        output = function(_, i) return u32(i) end,
    },
}
