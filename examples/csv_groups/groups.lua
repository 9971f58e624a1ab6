-- Sums by group over a CSV file without quotes: its fields, packed; two of its columns; sorted by the one; the other added up.
-- A field is its last eight bytes in a u64, the last one in the lowest byte: texts of one column, numbers of another.
spec_version(1)

local COLUMNS, KEY, VALUE <const> = 3, 0, 2

local comma, newline <const> = 44, 10
local function is_end(byte) return lor(eq(byte, comma), eq(byte, newline)) end

-- A byte as a map of the field before it: h -> h * 256 + byte within a field, h -> 0 at its end. 256^8 is 0: what is more than eight bytes back
-- is gone.
local Map = struct "Map" { { "a", u64 }, { "b", u64 } }
local compose = monoid {
    type = Map, identity = Map(1, 0),
    combine = function(f, g) return Map(f.a * g.a, f.b * g.a + g.b) end,
}

local function in_column(column)
    return function(_, i) return land(ge(i, COLUMNS), eq(i % COLUMNS, column)) end -- the first line has names
end

local digits = {}
for byte = 0, 255 do digits[byte + 1] = byte >= 48 and byte < 58 and byte - 48 or 0 end
local digit = table_of(u32, digits)

local function number_of(field)
    local number = u32(0)
    for k = 7, 0, -1 do number = number * 10 + digit[field >> 8 * k & 255] end
    return number
end

return {
    scan {
        name = "fields", monoid = compose, kind = "exclusive", input = u8,
        map = function(byte) return where(is_end(byte), Map(0, 0), Map(256, u64(byte))) end,
        outputs = { { "field", value = function(s) return s.b end, keep = function(_, byte) return is_end(byte) end } },
    },
    map {
        name = "columns", input = u64,
        outputs = {
            { "key", keep = in_column(KEY), value = function(field) return field end },
            { "value", keep = in_column(VALUE), value = number_of },
        },
    },
    sort { name = "sorted", key = u64, value = u32 },
    reduce_by_key {
        name = "groups", key = u64, value = u32, map = function(x) return { count = 1, total = x } end,
        monoid = pair { count = sum(u32), total = sum(u32), order = { "count", "total" } },
    },
}
