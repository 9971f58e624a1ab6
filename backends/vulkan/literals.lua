-- literals.lua - constants as GLSL writes them: literal(scalar, how it is held (operations.lua), raw bits) returns an expression.

local file = ...
local clike = file "gen/emit/clike.lua"
local numbers = file "gen/emit/numbers.lua"
local atom, call, negative = clike.atom, clike.call, clike.negative

local function signed(value, suffix)
    if value < 0 then return negative(("%d%s"):format(-value, suffix)) end
    return atom(numbers.unsigned(value, suffix))
end

-- The number with its sign; `special` where it is not finite.
local function number(text, is_negative, suffix, special)
    if not text then return special() end
    return is_negative and negative(text .. suffix) or atom(text .. suffix)
end

local function half_value(bits)
    local exponent, fraction = bits >> 10 & 31, bits & 1023
    if exponent == 31 then return fraction == 0 and math.huge or 0 / 0 end
    local magnitude = exponent == 0 and fraction * 2.0 ^ -24 or (1024 + fraction) * 2.0 ^ (exponent - 25)
    return bits & 0x8000 ~= 0 and -magnitude or magnitude
end

local function words(bits) return ("uvec2(%s, %s)"):format(numbers.unsigned(bits & 0xffffffff, "u"), numbers.unsigned(bits >> 32, "u")) end

local literal = {}

function literal.bool(_, bits) return atom(bits ~= 0 and "true" or "false") end

function literal.word(scalar, bits)
    if scalar:sub(1, 1) == "u" then return atom(numbers.unsigned(bits, "u")) end
    if bits == -0x80000000 then return call("int", atom "0x80000000u") end
    return signed(bits, "")
end
literal.small = literal.word

function literal.long(scalar, bits)
    if scalar == "u64" then return atom(numbers.unsigned(bits, "ul")) end
    if bits == math.mininteger then return call("int64_t", atom "0x8000000000000000ul") end
    return signed(bits, "l")
end

function literal.pair(_, bits) return atom(words(bits)) end
literal.doublebits = literal.pair

function literal.single(_, bits)
    local text, is_negative = numbers.f32(bits)
    return number(text, is_negative, "", function() return call("uintBitsToFloat", atom(("0x%08xu"):format(bits))) end)
end

-- The exact decimal: compilers have been seen to cut off f16 constants instead of rounding them.
function literal.half(_, bits)
    local value = half_value(bits)
    local text, is_negative = numbers.shortest(value, function(parsed) return parsed == math.abs(value) end)
    return number(text, is_negative, "hf", function()
        return call("uint16BitsToFloat16", call("uint16_t", atom(("0x%04xu"):format(bits))))
    end)
end

function literal.halfbits(_, bits) return atom(("0x%04xu"):format(bits)) end

function literal.double(_, bits)
    local text, is_negative = numbers.f64(bits)
    return number(text, is_negative, "lf", function() return call("packDouble2x32", atom(words(bits))) end)
end

return function(scalar, how, bits) return literal[how](scalar, bits) end
