-- Sums by group over a CSV file without quotes: its fields, packed; two of its columns; sorted by the one; the other added up. How many fields,
-- rows and groups there are stays on the device. For fewer than 2^32 fields.
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

local function number_of(field)
    local number = u32(0)
    for k = 7, 0, -1 do
        local digit = u32(field >> 8 * k & 255) - 48
        number = number * 10 + where(lt(digit, 10), digit, 0)
    end
    return number
end

-- The last of the keys: a field in the key's column takes the place of those before it.
local Key = struct "Key" { { "text", u64 }, { "is_known", u32 } }
local last = monoid {
    type = Key, identity = Key(0, 0),
    combine = function(a, b) return where(ne(b.is_known, 0), b, a) end,
    sample = function(r)
        local is_known = r:u32(0, 1)
        return Key(is_known == 1 and r:u64() or 0, is_known)
    end,
}
local function is_value(_, _, i) return land(ge(i, COLUMNS), eq(u32(i) % COLUMNS, VALUE)) end -- the first line has names

return pipeline(function(p)
    local fields = p.scan {
        monoid = compose, kind = "exclusive", input = p.input("text", u8),
        map = function(byte) return where(is_end(byte), Map(0, 0), Map(256, u64(byte))) end,
        outputs = { { "field", value = function(s) return s.b end, keep = function(_, byte) return is_end(byte) end } },
    }
    local rows = p.scan {
        monoid = last, input = fields.field,
        map = function(field, i) return where(eq(u32(i) % COLUMNS, KEY), Key(field, 1), Key(0, 0)) end,
        outputs = {
            { "key", keep = is_value, value = function(s) return s.text end },
            { "value", keep = is_value, value = function(_, field) return number_of(field) end },
        },
    }
    local sorted = p.sort { keys = rows.key, values = rows.value }
    local groups = p.reduce_by_key {
        keys = sorted.keys_out, values = sorted.values_out, map = function(x) return { count = 1, total = x } end,
        monoid = pair { count = sum(u32), total = sum(u32), order = { "count", "total" } },
    }
    p.output("names", groups.keys_out)
    p.output("sums", groups.values_out)
end, { name = "csv_groups" })
