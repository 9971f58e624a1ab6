-- conversions.lua - from any scalar type to any other; floats to integers saturate, integers wrap.

local file = ...
local clike = file "gen/emit/clike.lua"
local call, member, conditional, atom, infix = clike.call, clike.member, clike.conditional, clike.atom, clike.infix

local IS_FLOAT = { f16 = true, f32 = true, f64 = true }

-- o: operations.lua's ways with integers.
return function(o)
    local convert

    local function unsupported(d, to, from)
        d:unsupported((from == "f64" or to == "f64") and "f64" or "u64", ("conversion of %s to %s"):format(from, to))
    end

    local function from_bool(d, to, c)
        local how = o.held(d, to)
        if how == "small" or how == "word" then return call(o.signed(to) and "int" or "uint", c) end
        if how == "single" then return call("float", c) end
        if how == "pair" then return call("uvec2", call("uint", c), atom "0u") end
        local one = { half = 0x3c00, halfbits = 0x3c00, double = 0x3ff0000000000000, doublebits = 0x3ff0000000000000, long = 1 }
        return conditional(c, d:literal(to, one[how]), d:literal(to, 0))
    end

    -- Between integers of up to 32 bits.
    local function to_word(d, to, from, e)
        local same_sign = o.signed(to) == o.signed(from)
        local cast = same_sign and e or call(o.signed(to) and "int" or "uint", e)
        local fits = o.WIDTH[from] < o.WIDTH[to] and (same_sign or not o.signed(from)) or (o.WIDTH[from] == o.WIDTH[to] and same_sign)
        return fits and cast or o.wrap(d, to, cast)
    end

    -- From up to 32 bits to 64.
    local function to_long(d, to, from, e)
        local negative = o.signed(from)
        if o.held(d, to) == "long" then
            if to == "i64" then return call("int64_t", e) end
            return call("uint64_t", negative and call("int64_t", e) or e)
        end
        if negative then return d:helper("i32_to_i64", e) end
        local widened = call("uvec2", e, atom "0u")
        widened.low = e
        return widened
    end

    local function integer_to_integer(d, to, from, e)
        local wide_to, wide_from = o.WIDTH[to] == 64, o.WIDTH[from] == 64
        if not wide_from then return wide_to and to_long(d, to, from, e) or to_word(d, to, from, e) end
        local native = o.held(d, from) == "long"
        if wide_to then return native and call(to == "u64" and "uint64_t" or "int64_t", e) or e end
        return to_word(d, to, "u32", native and call("uint", e) or o.low_word(e))
    end

    -- NVIDIA's driver leaves out float16_t's rounding where it sees that the number is converted on, so what f16 may round is put together of bits.
    local function single_to_half(d, single, is_exact)
        if is_exact and o.held(d, "f16") == "half" then return call("float16_t", single) end
        return o.bitcast(d, "f16", "u16", d:helper("f32_to_f16", single))
    end

    local function integer_to_float(d, to, from, e)
        if to == "f16" then -- what f32 rounds is beyond f16
            return single_to_half(d, integer_to_float(d, "f32", from, e), o.WIDTH[from] == 8 or (e.mask and e.mask <= 2048))
        end
        local how = o.held(d, to)
        if how == "doublebits" then unsupported(d, to, from) end
        if how == "double" and o.held(d, from) == "pair" then unsupported(d, to, from) end
        local is_small = e.mask and e.mask < 0x80000000
        if how == "double" and from == "u32" and not is_small then return d:helper("u32_to_double", e) end
        if o.held(d, from) == "pair" or (from == "u32" and how ~= "double" and not is_small) then return d:helper(from .. "_to_f32", e) end
        return call(how == "double" and "double" or "float", e)
    end

    local function float_to_float(d, to, from, e)
        if o.held(d, from) == "doublebits" or o.held(d, to) == "doublebits" then unsupported(d, to, from) end
        if from == "f16" then
            local single = o.held(d, from) == "half" and call("float", e) or d:helper("f16_to_f32", e)
            return to == "f64" and call("double", single) or single
        end
        if to == "f64" then return call("double", e) end
        local single = from == "f64" and (to == "f16" and d:helper("double_to_odd", e) or call("float", e)) or e
        if to == "f32" then return single end
        return single_to_half(d, single, false)
    end

    local function float_to_integer(d, to, from, e)
        if from == "f16" then return float_to_integer(d, to, "f32", float_to_float(d, "f32", from, e)) end
        local how = o.held(d, from)
        if how == "doublebits" then unsupported(d, to, from) end
        local prefix = how == "double" and "double_to_" or "f32_to_"
        local width, is_signed = o.WIDTH[to], o.signed(to)
        if width < 32 then
            local low, high = is_signed and -(1 << (width - 1)) or 0, (1 << (is_signed and width - 1 or width)) - 1
            local clamped = call("clamp", d:helper(prefix .. "i32", e), d:literal("i32", low), d:literal("i32", high))
            return is_signed and clamped or call("uint", clamped)
        end
        if width == 32 then return d:helper(prefix .. to, e) end
        if how == "double" then
            if o.held(d, to) == "pair" then unsupported(d, to, from) end
            return d:helper(prefix .. to, e)
        end
        return o.from_pair(d, to, d:helper(prefix .. to, e))
    end

    function convert(d, to, from, e)
        if from == to then return e end
        if from == "bool" then return from_bool(d, to, e) end
        if to == "bool" then return o.not_zero(d, from, e) end
        if IS_FLOAT[from] then return (IS_FLOAT[to] and float_to_float or float_to_integer)(d, to, from, e) end
        return (IS_FLOAT[to] and integer_to_float or integer_to_integer)(d, to, from, e)
    end

    return convert
end
