-- literals.lua - constants as GLSL writes them: literal(scalar, how it is held (operations.lua), raw bits) gives an expression.

local file = ...
local clike = file "gen/clike.lua"
local atom, call, negative = clike.atom, clike.call, clike.negative

-- Decimal where people count in it, else hexadecimal.
local function unsigned(value, suffix)
    local round = value >= 0 and (value < 10000 or value % 1000 == 0 and value < 2 ^ 53)
    return (round and "%d%s" or "0x%x%s"):format(value, suffix)
end

local function signed(value, suffix)
    if value < 0 then return negative(("%d%s"):format(-value, suffix)) end
    return atom(unsigned(value, suffix))
end

-- The shortest decimal that gives the value back through `same`.
local function shortest(value, same, suffix)
    local digits
    for precision = 1, 17 do
        digits = ("%." .. precision .. "g"):format(math.abs(value)):gsub("[^%w+-]+", ".") -- the locale's decimal point
        if same(tonumber(digits)) then break end
    end
    if not digits:find("[%.e]") then digits = digits .. ".0" end
    local sign = string.unpack("<i8", string.pack("<d", value)) < 0
    return sign and negative(digits .. suffix) or atom(digits .. suffix)
end

local function is_finite(value) return value == value and value ~= math.huge and value ~= -math.huge end

local function half_value(bits)
    local exponent, fraction = bits >> 10 & 31, bits & 1023
    if exponent == 31 then return fraction == 0 and math.huge or 0 / 0 end
    local magnitude = exponent == 0 and fraction * 2.0 ^ -24 or (1024 + fraction) * 2.0 ^ (exponent - 25)
    return bits & 0x8000 ~= 0 and -magnitude or magnitude
end

local function words(bits) return ("uvec2(%s, %s)"):format(unsigned(bits & 0xffffffff, "u"), unsigned(bits >> 32, "u")) end

local literal = {}

function literal.bool(_, bits) return atom(bits ~= 0 and "true" or "false") end

function literal.word(scalar, bits)
    if scalar:sub(1, 1) == "u" then return atom(unsigned(bits, "u")) end
    if bits == -0x80000000 then return call("int", atom "0x80000000u") end
    return signed(bits, "")
end
literal.small = literal.word

function literal.long(scalar, bits)
    if scalar == "u64" then return atom(unsigned(bits, "ul")) end
    if bits == math.mininteger then return call("int64_t", atom "0x8000000000000000ul") end
    return signed(bits, "l")
end

function literal.pair(_, bits) return atom(words(bits)) end
literal.doublebits = literal.pair

function literal.single(_, bits)
    local value = string.unpack("<f", string.pack("<I4", bits))
    if not is_finite(value) then return call("uintBitsToFloat", atom(("0x%08xu"):format(bits))) end
    return shortest(value, function(parsed) return string.pack("<f", parsed) == string.pack("<f", math.abs(value)) end, "")
end

-- The exact decimal: compilers have been seen to cut off f16 constants instead of rounding them.
function literal.half(_, bits)
    local value = half_value(bits)
    if not is_finite(value) then return call("uint16BitsToFloat16", call("uint16_t", atom(("0x%04xu"):format(bits)))) end
    return shortest(value, function(parsed) return parsed == math.abs(value) end, "hf")
end

function literal.halfbits(_, bits) return atom(("0x%04xu"):format(bits)) end

function literal.double(_, bits)
    local value = string.unpack("<d", string.pack("<i8", bits))
    if not is_finite(value) then return call("packDouble2x32", atom(words(bits))) end
    return shortest(value, function(parsed) return parsed == math.abs(value) end, "lf")
end

return function(scalar, how, bits) return literal[how](scalar, bits) end
