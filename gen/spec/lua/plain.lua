-- plain.lua - the operations on Lua numbers and booleans, for runs on samples and literals.
--
-- Lua's arithmetic is not the language's: integers have 64 bits, "/" gives a float, x // 0 raises. A plain run is compared with a trace
-- whose nodes have numbers that are computed the same way (gen/spec/lua/functions.lua), so here any function of the operands would do.

local math_type, tointeger = math.type, math.tointeger

local plain = {
    add = function(a, b) return a + b end, sub = function(a, b) return a - b end, mul = function(a, b) return a * b end,
    div = function(a, b) return a / b end, floordiv = function(a, b) return a // b end, mod = function(a, b) return a % b end,
    neg = function(a) return -a end, ["and"] = function(a, b) return a & b end, ["or"] = function(a, b) return a | b end,
    xor = function(a, b) return a ~ b end, ["not"] = function(a) return ~a end, shl = function(a, b) return a << b end,
    shr = function(a, b) return a >> b end,
    lt = function(a, b) return a < b end, le = function(a, b) return a <= b end, gt = function(a, b) return a > b end,
    ge = function(a, b) return a >= b end, eq = function(a, b) return a == b end, ne = function(a, b) return a ~= b end,
    land = function(a, b) return a and b end, lor = function(a, b) return a or b end, lnot = function(a) return not a end,
    min = math.min, max = math.max, abs = math.abs, fma = function(a, b, d) return a * b + d end, mulhi = function(a, b) return (a * b) >> 32 end,
    sqrt = math.sqrt, rsqrt = function(a) return 1 / math.sqrt(a) end, exp = math.exp, exp2 = function(a) return 2.0 ^ a end, log = math.log,
    log2 = function(a) return math.log(a, 2) end, sin = math.sin, cos = math.cos, tanh = function(a) return 1 - 2 / (math.exp(2 * a) + 1) end,
    floor = function(a) return math.floor(a) + 0.0 end, ceil = function(a) return math.ceil(a) + 0.0 end,
    round = function(a) return math.floor(a + 0.5) + 0.0 end, trunc = function(a) return (a < 0 and math.ceil(a) or math.floor(a)) + 0.0 end,
    rotl = function(a, b) return a << b | a >> (64 - b) end, rotr = function(a, b) return a >> b | a << (64 - b) end,
    isnan = function(a) return a ~= a end,
}

function plain.where(condition, a, b)
    if condition then return a end
    return b
end

local function bits_of(a) -- the lowest first
    local list = {}
    a = a | 0 -- raises when it is no integer
    for i = 0, 63 do list[i + 1] = a >> i & 1 end
    return list
end
function plain.popcount(a)
    local count = 0
    for _, bit in ipairs(bits_of(a)) do count = count + bit end
    return count
end
function plain.ctz(a)
    for i, bit in ipairs(bits_of(a)) do if bit == 1 then return i - 1 end end
    return 64
end
function plain.bitreverse(a)
    local reversed = 0
    for _, bit in ipairs(bits_of(a)) do reversed = reversed << 1 | bit end
    return reversed
end
function plain.clz(a) return plain.ctz(plain.bitreverse(a)) end

function plain.convert(scalar, a)
    if a == true then a = 1 elseif a == false then a = 0 end
    if scalar == "bool" then return a ~= 0 end
    if scalar:sub(1, 1) == "f" then return a + 0.0 end
    if math_type(a) == "integer" then return a end
    if a ~= a then return 0 end
    return tointeger(a < 0 and math.ceil(a) or math.floor(a)) or (a < 0 and math.mininteger or math.maxinteger)
end

local FLOAT_FORMAT, INTEGER_FORMAT = { f32 = "<f", f64 = "<d" }, { f32 = "<I4", f64 = "<i8" }
local FLOAT_OF = { u32 = "f32", i32 = "f32", u64 = "f64", i64 = "f64" }

function plain.bitcast(scalar, a)
    if scalar == "f16" then return math_type(a) == "integer" and a / 1024 or a end
    if FLOAT_FORMAT[scalar] then
        if math_type(a) == "float" then return a end
        return (string.unpack(FLOAT_FORMAT[scalar], string.pack(INTEGER_FORMAT[scalar], scalar == "f32" and a & 0xffffffff or a)))
    end
    if math_type(a) == "integer" then return a end
    if a == 0 then a = 0.0 end -- Lua makes x - 0 of numbers x + 0, which has another zero for x = -0.0
    local float = FLOAT_OF[scalar]
    if not float then return tointeger(a * 1024 // 1) or 0 end
    return (string.unpack(INTEGER_FORMAT[float], string.pack(FLOAT_FORMAT[float], a)))
end

return plain
