-- A curve without its small waves: the numbers of a text, filtered forwards, then backwards, so that nothing is shifted (filtfilt); and where the
-- curve crosses its average so far, which is what the filter forwards makes of it.
spec_version(1)

local alpha = uniform("alpha", f32) -- of a new number, 1 - alpha of what was before

local function is_space(byte) return le(byte, 32) end

-- A byte as a map of the text of the number before it: h -> h * 256 + byte within a number, h -> 0 behind it.
local Map = struct "Map" { { "a", u64 }, { "b", u64 } }
local compose = monoid {
    type = Map, identity = Map(1, 0),
    combine = function(f, g) return Map(f.a * g.a, f.b * g.a + g.b) end,
}

-- The number that at most eight characters are, the last one in the lowest byte.
local function number_of(text)
    local digits, tenths, is_behind_point = f32(0), f32(1), eq(0, u32(1))
    for k = 7, 0, -1 do
        local byte = u32(text >> 8 * k & 255)
        local is_digit = land(ge(byte, 48), le(byte, 57))
        digits = where(is_digit, digits * 10 + f32(byte - 48), digits)
        tenths = where(land(is_digit, is_behind_point), tenths * 10, tenths)
        is_behind_point = lor(is_behind_point, eq(byte, 46))
    end
    return digits / tenths
end

-- y -> a * y + b, and the same of the weights: the first numbers have few before them.
local Filter = struct "Filter" { { "a", f32 }, { "b", f32 }, { "weight", f32 } }
local function first_then(f, g) return Filter(f.a * g.a, f.b * g.a + g.b, f.weight * g.a + g.weight) end
local forwards_filter = monoid { type = Filter, identity = Filter(1, 0, 0), combine = first_then }
local backwards_filter = monoid { -- a reversed scan, too, has the operands in the order of the array
    type = Filter, identity = Filter(1, 0, 0), combine = function(f, g) return first_then(g, f) end,
}

return pipeline(function(p)
    local numbers = p.scan {
        monoid = compose, kind = "exclusive", input = p.input("text", u8),
        map = function(byte) return where(is_space(byte), Map(0, 0), Map(256, u64(byte))) end,
        outputs = { { "x", value = function(s) return number_of(s.b) end,
            keep = function(_, byte, _, near) return land(is_space(byte), lnot(lor(near.first, is_space(near.before)))) end } },
    }
    local forwards = p.scan {
        monoid = forwards_filter, input = numbers.x,
        map = function(x) return Filter(1 - alpha, alpha * x, alpha) end,
        outputs = { { "b", value = function(s) return s.b end }, { "weight", value = function(s) return s.weight end } },
    }
    local is_above = p.map({ numbers.x, forwards.b, forwards.weight }, function(x, b, weight) return u8(gt(x, b / weight)) end)
    local crossings = p.compact {
        input = is_above, output = function(_, i) return u32(i) end,
        keep = function(above, _, near) return land(lnot(near.first), ne(above, near.before)) end,
    }
    p.output("crossings", crossings.out)
    p.output("y", p.scan {
        monoid = backwards_filter, reverse = true, inputs = { b = forwards.b, weight = forwards.weight },
        map = function(e) return Filter(1 - alpha, alpha * e.b, alpha * e.weight) end,
        output = function(s) return s.b / s.weight end,
    })
end, { name = "smooth" })
