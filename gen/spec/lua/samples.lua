-- samples.lua - a monoid's samples for the law checks, from its `sample = function(r) .. end`.
--
-- r:u32(lo, hi), and so for every scalar type, gives a plain Lua number from lo to hi, both included; without a range, any. r:bool() gives true
-- or false. The function is called for small samples first, for which r gives the numbers of the range that are nearest to zero, then for
-- large ones, for which r draws from the whole range.

local NEAR, FLOAT_LARGE = 3, 1000.0

return function(v)
    local c, fail = v.c, v.fail
    local Sampler = v.new_class "sampler"
    local methods = {}

    local function range_of(scalar, low, high)
        local limits = v.LIMITS[scalar]
        local float = limits[3] ~= nil
        if low == nil and high == nil then
            if float then return -FLOAT_LARGE, FLOAT_LARGE end
            return limits[1], limits[2]
        end
        local first, last
        if float then first, last = tonumber(low), tonumber(high)
        else first, last = math.tointeger(low), math.tointeger(high) end
        if not first or not last then
            fail("r:%s(lo, hi): %s to %s is no range; give two %s", scalar, v.describe(low), v.describe(high), float and "numbers" or "integers")
        end
        local ordered = scalar == "u64" and not math.ult(last, first) or scalar ~= "u64" and first <= last
        local fits = scalar == "u64" or first >= limits[1] and last <= limits[2]
        if not ordered or not fits then
            fail("r:%s(lo, hi): %s to %s is no range of %s; correct it", scalar, tostring(low), tostring(high), scalar)
        end
        return first, last
    end

    -- The part of the range that is nearest to zero.
    local function near(scalar, low, high)
        if scalar == "u64" then return low, math.ult(high - low, NEAR) and high or low + NEAR end
        local first, last = math.max(low, -NEAR), math.min(high, NEAR)
        if first <= last then return first, last end
        if low > 0 then return low, math.min(high, low + NEAR) end
        return math.max(low, high - NEAR), high
    end

    local function draw_float(large, low, high)
        if large then return low + (high - low) * v.random_unit() end
        local first, last = near("f64", low, high)
        local quarters = math.floor((last - first) * 4)
        return first + v.random_integer(0, quarters) / 4
    end

    for scalar in c.next, v.LIMITS do
        methods[scalar] = function(r, low, high)
            local record = v.record_of(r, Sampler)
            if not record then fail("r.%s: called without r; write r:%s(lo, hi)", scalar, scalar) end
            local first, last = range_of(scalar, low, high)
            if v.LIMITS[scalar][3] then return draw_float(record.large, first, last) end
            if not record.large then first, last = near(scalar, first, last) end
            return v.random_integer(first, last)
        end
    end
    function methods.bool() return v.random_integer(0, 1) == 1 end
    function Sampler.__index(_, key)
        return methods[key] or fail("r has no '%s'; it has the scalar types' names and bool, as in r:u32(0, 9)", tostring(key))
    end

    -- The leaves of the samples that the law checks want: c.small_samples() small ones, then c.large_samples() large ones.
    function v.law_samples(T, sample)
        if type(sample) ~= "function" then fail("sample: expected a function, not %s; write sample = function(r) .. end", v.describe(sample)) end
        v.check_count("sample", sample, 1)
        local list, state = {}, v.random_state
        c.record_lines()
        v.is_sampling = true -- a number from 2^63 on is one below zero, for Lua
        for i = 1, c.small_samples + c.large_samples do
            local value = sample(v.new_object(Sampler, { large = i > c.small_samples }))
            list[i] = v.flatten(v.coerce(T, value, "sample"))
        end
        v.random_state, v.is_sampling = state, nil
        c.recorded_lines()
        return list
    end
end
