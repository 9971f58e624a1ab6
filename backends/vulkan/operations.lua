-- operations.lua - every operation of gen/expr/expr.h as a GLSL expression, by the way the operand is held in registers (see dialect.lua).
--
-- d is the dialect, s the operand's scalar type, a, b, c expressions of clike.lua with two notes: `bits` on a literal, `low` on a 64-bit
-- pair whose low word is a text of its own.

local file = ...
local clike = file "gen/emit/clike.lua"
local integers = file "gen/emit/integers.lua"
local literals = file "backends/vulkan/literals.lua"
local ranges = file "gen/emit/ranges.lua"
local call, infix, unary, member, conditional, parse = clike.call, clike.infix, clike.unary, clike.member, clike.conditional, clike.parse

local WIDTH = ranges.WIDTH
local SIGNED = { i8 = true, i16 = true, i32 = true, i64 = true }
local SMALL = { u8 = true, i8 = true, u16 = true, i16 = true }
local BITS_TYPE = { f16 = "u16", f32 = "u32", f64 = "u64" }

local operations = {}

function operations.is_wide(s) return WIDTH[s] == 64 end

-- How the scalar is held: "bool", "small" (in 32 bits), "word", "long", "pair" (of words), "half", "halfbits", "single", "double", "doublebits".
local function held(d, s)
    if s == "bool" then return "bool" end
    if SMALL[s] then return "small" end
    if s == "u32" or s == "i32" then return "word" end
    if s == "f32" then return "single" end
    local native = d:has(s)
    if s == "f16" then return native and "half" or "halfbits" end
    if s == "f64" then return native and "double" or "doublebits" end
    return native and "long" or "pair"
end

-- What returns the same number, of which the driver knows nothing, by how it is held.
local VEIL = { half = "float16_veiled", single = "f32_veiled", halfbits = "f32_veiled", double = "double_veiled" }

-- A constant that functions meet when they have been inlined. NVIDIA's driver (580.159) takes inf - inf == inf - inf for true where it knows the inf.
function operations.veiled_constant(d, s, e)
    local how, zero = held(d, s), d:helper("zero_word")
    if VEIL[how] and how ~= "halfbits" then return d:helper(VEIL[how], e) end
    if s == "u32" or how == "halfbits" or how == "pair" or how == "doublebits" then return infix("|", e, zero) end
    if how == "long" then return infix("|", e, call(s == "u64" and "uint64_t" or "int64_t", zero)) end
    return how == "bool" and e or infix("|", e, call(s:sub(1, 1) == "u" and "uint" or "int", zero))
end

function operations.literal(d, s, bits) return literals(s, held(d, s), bits) end

local function number(d, s, value) return d:literal(s, value) end
local function text(e_text) return clike.atom(e_text) end
local function signed(s) return SIGNED[s] end

-- ---- bits ----

-- The scalar's bits: a uint, zero-extended, or a uvec2.
function operations.bits_of(d, s, e)
    local how = held(d, s)
    if s == "u32" or s == "u8" or s == "u16" or how == "pair" or how == "halfbits" or how == "doublebits" then return e end
    if s == "i32" then return call("uint", e) end
    if how == "small" then return call("bitfieldExtract", call("uint", e), text "0", text(tostring(WIDTH[s]))) end
    if how == "single" then return call("floatBitsToUint", e) end
    if how == "half" then return call("uint", call("float16BitsToUint16", e)) end -- of a constant, SPIRV-Tools breaks packFloat2x16
    if how == "double" then return call("unpackDouble2x32", e) end
    return call("unpackUint2x32", s == "i64" and call("uint64_t", e) or e)
end

-- The scalar of these bits, from bit `shift` on (none: 0); above a narrow one's there may be others.
function operations.value_of(d, s, bits, shift)
    local how = held(d, s)
    local from, width = text(tostring(shift or 0)), text(tostring(WIDTH[s]))
    if how == "small" then return call("bitfieldExtract", signed(s) and call("int", bits) or bits, from, width) end
    if how == "halfbits" then return call("bitfieldExtract", bits, from, width) end
    if shift and shift > 0 then bits = infix(">>", bits, text(shift .. "u")) end
    if s == "u32" or how == "pair" or how == "doublebits" then return bits end
    if s == "i32" then return call("int", bits) end
    if how == "single" then return call("uintBitsToFloat", bits) end
    if how == "half" then return call("uint16BitsToFloat16", call("uint16_t", bits)) end
    if how == "double" then return call("packDouble2x32", bits) end
    local joined = call("packUint2x32", bits)
    return s == "i64" and call("int64_t", joined) or joined
end

-- Between a native 64-bit value and the helpers' pairs.
local function pair_of(d, s, e) return operations.bits_of(d, s, e) end
local function from_pair(d, s, e) return operations.value_of(d, s, e) end

local function low_word(e)
    if e.bits then return text((e.bits & 0xffffffff) .. "u") end
    return e.low or member(e, "x")
end

local function bitcast(d, to, from, e)
    if WIDTH[to] == 32 then
        local direct = { i32f32 = "intBitsToFloat", f32i32 = "floatBitsToInt", u32i32 = "int", i32u32 = "uint", u32f32 = "uintBitsToFloat",
                         f32u32 = "floatBitsToUint" }
        return call(direct[from .. to], e)
    end
    local native_integers = held(d, to) == "long" and held(d, from) == "long"
    if native_integers then return call(to == "u64" and "uint64_t" or "int64_t", e) end
    -- u8, u16 and f16 have clean upper bits, and what needs clean ones is u8, u16 and f16
    local clean = to == "u8" or to == "u16" or (to == "f16" and held(d, to) == "halfbits")
    local bits = operations.bits_of(d, from, e)
    return clean and bits or operations.value_of(d, to, bits)
end

-- ---- integers of up to 32 bits, and native ones of 64 ----

-- Brings a 32-bit result back into the range of a small type.
local function wrap(d, s, e)
    if not SMALL[s] or ranges.fits(s, e) then return e end
    if signed(s) then return call("bitfieldExtract", e, text "0", text(tostring(WIDTH[s]))) end
    return infix("&", e, number(d, s, (1 << WIDTH[s]) - 1))
end

local rules = { signed = signed, wrap = wrap, number = number }
function rules.ranged(e) return e end
function rules.call(_, _, name, ...) return call(name, ...) end
function rules.helper(d, s, name, ...) return d:helper((WIDTH[s] == 64 and "int64_" or "i32_") .. name, ...) end

local integer = integers.operations(rules)

-- SPIRV-Tools makes -(2u / x) into (-2u) / x, as if it were signed: not so for a difference.
function integer.neg(d, s, a) return wrap(d, s, signed(s) and unary("-", a) or infix("-", number(d, s, 0), a)) end
function integer.abs(d, s, a) return signed(s) and wrap(d, s, call("abs", a)) or a end
function integer.fma(d, s, a, b, c) return wrap(d, s, infix("+", infix("*", a, b), c)) end
function integer.mulhi(d, s, a, b)
    if SMALL[s] then return infix(">>", infix("*", a, b), text(tostring(WIDTH[s]))) end
    return d:helper(s .. "_mulhi", a, b)
end

-- The bits of a small or 32-bit value, in a type that findMSB and bitCount take for unsigned.
local function field(d, s, a)
    if not signed(s) then return a end
    return SMALL[s] and infix("&", a, number(d, s, (1 << WIDTH[s]) - 1)) or call("uint", a)
end
-- An int as the register type of s, and a uint likewise.
local function from_int(s, e) return signed(s) and e or call("uint", e) end
local function from_uint(s, e) return signed(s) and call("int", e) or e end

function integer.popcount(d, s, a) return from_int(s, call("bitCount", field(d, s, a))) end
function integer.clz(d, s, a) return from_int(s, infix("-", text(tostring(WIDTH[s] - 1)), call("findMSB", field(d, s, a)))) end
function integer.ctz(_, s, a) return from_uint(s, call("min", call("uint", call("findLSB", a)), text(WIDTH[s] .. "u"))) end
function integer.bitreverse(_, s, a)
    local reversed = call("bitfieldReverse", a)
    return SMALL[s] and infix(">>", reversed, text(tostring(32 - WIDTH[s]))) or reversed
end
function integer.rotl(d, s, a, n)
    local value, by = signed(s) and call("uint", a) or a, signed(s) and not n.bits and call("uint", n) or n
    if n.bits then by = text((n.bits & (WIDTH[s] - 1)) .. "u") end
    if not SMALL[s] then return from_uint(s, d:helper("u32_rotl", value, by)) end
    local rotated = d:helper("field_rotl", value, by, text(WIDTH[s] .. "u"))
    return signed(s) and wrap(d, s, call("int", rotated)) or rotated
end
function integer.rotr(d, s, a, n)
    return integer.rotl(d, s, a, n.bits and number(d, s, -n.bits & (WIDTH[s] - 1)) or infix("-", number(d, s, WIDTH[s]), n))
end

-- ---- native 64-bit integers: what GLSL has for 32 bits only is done on pairs ----

local long = setmetatable({}, { __index = integer })
function long.popcount(d, s, a) return call(s == "u64" and "uint64_t" or "int64_t", d:helper("u64_popcount", pair_of(d, s, a))) end
function long.clz(d, s, a) return call(s == "u64" and "uint64_t" or "int64_t", d:helper("u64_clz", pair_of(d, s, a))) end
function long.ctz(d, s, a) return call(s == "u64" and "uint64_t" or "int64_t", d:helper("u64_ctz", pair_of(d, s, a))) end
function long.bitreverse(d, s, a) return from_pair(d, s, d:helper("u64_bitreverse", pair_of(d, s, a))) end
function long.mulhi(d, s, a, b) return from_pair(d, s, d:helper(s .. "_mulhi", pair_of(d, s, a), pair_of(d, s, b))) end
function long.rotl(d, s, a, n)
    local by = n.bits and text((n.bits & 63) .. "u") or call("uint", n)
    return from_pair(d, s, d:helper("u64_rotl", pair_of(d, s, a), by))
end
function long.rotr(d, s, a, n)
    return long.rotl(d, s, a, n.bits and number(d, s, -n.bits & 63) or infix("-", number(d, s, 64), n))
end

-- ---- 64-bit integers as pairs of words ----

local pair = {}
for op, symbol in pairs { ["and"] = "&", ["or"] = "|", xor = "^", eq = "==", ne = "!=" } do
    pair[op] = function(_, _, a, b) return infix(symbol, a, b) end
end
for _, op in ipairs { "add", "sub", "mul", "neg" } do
    pair[op] = function(d, _, ...) return d:helper("u64_" .. op, ...) end
end
for _, op in ipairs { "min", "max", "mulhi", "div", "mod" } do
    pair[op] = function(d, s, a, b) return d:helper(s .. "_" .. op, a, b) end
end
for _, op in ipairs { "popcount", "clz", "ctz" } do
    pair[op] = function(d, _, a) return call("uvec2", d:helper("u64_" .. op, a), text "0u") end
end
pair["not"] = function(_, _, a) return unary("~", a) end
function pair.lt(d, s, a, b) return d:helper(s .. "_less", a, b) end
function pair.gt(d, s, a, b) return pair.lt(d, s, b, a) end
function pair.le(d, s, a, b) return unary("!", pair.lt(d, s, b, a)) end
function pair.ge(d, s, a, b) return unary("!", pair.lt(d, s, a, b)) end
function pair.shl(d, _, a, n) return d:helper("u64_shl", a, low_word(n)) end
function pair.shr(d, s, a, n) return d:helper(s .. "_shr", a, low_word(n)) end
function pair.rotl(d, _, a, n) return d:helper("u64_rotl", a, low_word(n)) end
function pair.rotr(d, _, a, n) return d:helper("u64_rotl", a, n.bits and text((-n.bits & 63) .. "u") or infix("-", text "64u", low_word(n))) end
function pair.bitreverse(d, _, a) return d:helper("u64_bitreverse", a) end
function pair.abs(d, s, a) return signed(s) and d:helper("i64_abs", a) or a end
function pair.fma(d, s, a, b, c) return pair.add(d, s, pair.mul(d, s, a, b), c) end
function pair.floordiv(d, s, a, b) return d:helper(signed(s) and "i64_floordiv" or "u64_div", a, b) end

-- ---- floats ----

local single = {}
for op, symbol in pairs { eq = "==", ne = "!=" } do
    single[op] = function(_, _, a, b) return infix(symbol, a, b) end
end

-- llvmpipe, the only device without long loops, takes a + 0.0 for a and a * 0.0 for 0.0, whatever a is, where it knows the zero: a literal, or an
-- identity that came by inlining. There operands are veiled by a word that it does not know.
-- NVIDIA's driver (580.159) knows where abs, exp, sin and cos lie, but not that they may be NaN: it takes abs(x) >= 0.0 for true.
local function literal_veiled(d, s, e) return e.bits and d:helper(VEIL[held(d, s)], e) or e end
for op, symbol in pairs { lt = "<", le = "<=", gt = ">", ge = ">=" } do
    single[op] = function(d, s, a, b) return infix(symbol, literal_veiled(d, s, a), literal_veiled(d, s, b)) end
end
local function veiled(d, s, e)
    if d.device.long_loops or (e.bits and e.text:find "[1-9]") then return e end
    return d:helper(VEIL[held(d, s)], e)
end
for op, symbol in pairs { add = "+", sub = "-", mul = "*" } do
    single[op] = function(d, s, a, b) return infix(symbol, veiled(d, s, a), veiled(d, s, b)) end
end
-- NVIDIA's driver (580.159) takes 0 / x for 0 and x / inf for x * 0, whatever x is, and 0 - floor(x / 0) * 0 for 0, where it knows the 0 or inf.
local function quotient_veiled(d, s, e)
    local number = e.bits and tonumber((e.text:match "^[%d.e+-]+"))
    if number and math.abs(number) > 0x1p-14 and math.abs(number) < 0x1p100 then return e end
    return e.bits and d:helper(VEIL[held(d, s)], e) or veiled(d, s, e)
end
function single.div(d, s, a, b) return infix("/", quotient_veiled(d, s, a), quotient_veiled(d, s, b)) end
function single.fma(d, s, a, b, c) return call("fma", veiled(d, s, a), veiled(d, s, b), veiled(d, s, c)) end
for op, name in pairs { abs = "abs", sqrt = "sqrt", rsqrt = "inversesqrt", sin = "sin", cos = "cos", floor = "floor", ceil = "ceil",
    round = "roundEven", trunc = "trunc" } do
    single[op] = function(_, _, a) return call(name, a) end
end
-- GLSL leaves these open for some arguments. An f16 goes by way of f32.
local OPEN = { "exp", "exp2", "log", "log2", "tanh" }
for _, op in ipairs(OPEN) do single[op] = function(d, _, a) return d:helper("f32_" .. op, a) end end
function single.neg(_, _, a) return unary("-", a) end
function single.floordiv(d, s, a, b) return call("floor", single.div(d, s, a, b)) end
function single.mod(d, s, a, b) return d:helper("f32_mod", quotient_veiled(d, s, a), quotient_veiled(d, s, b)) end
function single.min(d, _, a, b) return d:helper("f32_min", a, b) end
function single.max(d, _, a, b) return d:helper("f32_max", a, b) end
function single.isnan(d, _, a) return d:helper("f32_isnan", a) end

-- min, max and isnan by way of f32, where an f16 is exact
local half = setmetatable({}, { __index = single })
function half.mod(d, s, a, b) return d:helper("float16_mod", quotient_veiled(d, s, a), quotient_veiled(d, s, b)) end
function half.min(d, _, a, b) return call("float16_t", d:helper("f32_min", call("float", a), call("float", b))) end
function half.max(d, _, a, b) return call("float16_t", d:helper("f32_max", call("float", a), call("float", b))) end
for _, op in ipairs(OPEN) do
    half[op] = function(d, _, a) return call("float16_t", d:helper("f32_" .. op, call("float", a))) end
end
function half.isnan(d, _, a) return d:helper("f32_isnan", call("float", a)) end

-- min, max and isnan on the bits; GLSL has no transcendental function of doubles
local double = setmetatable({}, { __index = single })
for _, op in ipairs { "exp", "exp2", "log", "log2", "sin", "cos", "tanh" } do double[op] = false end
function double.mod(d, s, a, b) return d:helper("double_mod", quotient_veiled(d, s, a), quotient_veiled(d, s, b)) end
function double.min(d, s, a, b) return from_pair(d, s, d:helper("f64_min", pair_of(d, s, a), pair_of(d, s, b))) end
function double.max(d, s, a, b) return from_pair(d, s, d:helper("f64_max", pair_of(d, s, a), pair_of(d, s, b))) end
function double.isnan(d, s, a) return d:helper("f64_isnan", pair_of(d, s, a)) end

-- An f16 as bits: computed in f32 and rounded, which for + - * / and sqrt is the one rounding asked for.
-- Literals are veiled as those of f32 are: where a float is compared with them, and in quotients zeros, infinities, NaN and subnormal numbers.
local halfbits = {}
local COMPARES = { lt = true, le = true, gt = true, ge = true }
local function bits_veiled(d, e) return infix("|", e, d:helper("zero_word")) end
local function is_normal(e) return e.bits & 0x7fff >= 0x0400 and e.bits & 0x7fff < 0x7c00 end
local function literal_bits_veiled(d, op, e)
    local is_veiled = e.bits and (COMPARES[op] or op == "div" and not is_normal(e))
    return is_veiled and bits_veiled(d, e) or e
end
for op in pairs(single) do
    halfbits[op] = function(d, s, ...)
        local wide = {}
        for i, e in ipairs { ... } do wide[i] = d:helper("f16_to_f32", literal_bits_veiled(d, op, e)) end
        local value = single[op](d, s, table.unpack(wide))
        local is_condition = op == "lt" or op == "le" or op == "gt" or op == "ge" or op == "eq" or op == "ne" or op == "isnan"
        return is_condition and value or d:helper("f32_to_f16", value)
    end
end
function halfbits.neg(_, _, a) return infix("^", a, text "0x8000u") end
function halfbits.abs(_, _, a) return infix("&", a, text "0x7fffu") end
local function remainder_veiled(d, e) return d.device.long_loops and literal_bits_veiled(d, "div", e) or bits_veiled(d, e) end
function halfbits.mod(d, _, a, b) return d:helper("f16_mod", remainder_veiled(d, a), remainder_veiled(d, b)) end
function halfbits.floordiv(d, s, a, b) return halfbits.floor(d, s, halfbits.div(d, s, a, b)) end

-- An f64 as bits: moves and comparisons only.
local doublebits = {}
function doublebits.neg(_, _, a) return infix("^", a, text "uvec2(0u, 0x80000000u)") end
function doublebits.abs(_, _, a) return infix("&", a, text "uvec2(0xffffffffu, 0x7fffffffu)") end
function doublebits.min(d, _, a, b) return d:helper("f64_min", a, b) end
function doublebits.max(d, _, a, b) return d:helper("f64_max", a, b) end
function doublebits.isnan(d, _, a) return d:helper("f64_isnan", a) end
function doublebits.eq(d, _, a, b) return d:helper("f64_equal", a, b) end
function doublebits.ne(d, s, a, b) return unary("!", doublebits.eq(d, s, a, b)) end
function doublebits.lt(d, _, a, b) return d:helper("f64_less", a, b) end
function doublebits.gt(d, s, a, b) return doublebits.lt(d, s, b, a) end
function doublebits.le(d, s, a, b) return infix("||", doublebits.lt(d, s, a, b), doublebits.eq(d, s, a, b)) end
function doublebits.ge(d, s, a, b) return doublebits.le(d, s, b, a) end

local tables = { bool = integers.conditions, small = integer, word = integer, long = long, pair = pair, single = single, half = half, double = double,
                 halfbits = halfbits, doublebits = doublebits }

-- ---- conversions ----

local conversions = file "backends/vulkan/conversions.lua" {
    held = held, signed = signed, wrap = wrap, number = number, from_pair = from_pair, low_word = low_word, bitcast = bitcast, WIDTH = WIDTH,
    not_zero = function(d, s, e) return tables[held(d, s)].ne(d, s, e, number(d, s, 0)) end,
}

local NOUN = { add = "addition", sub = "subtraction", mul = "multiplication", div = "division", floordiv = "division", mod = "remainder" }

-- NVIDIA's driver (580.159) takes a < b ? a : b for min(a, b), and a > b ? a : b for max, which differ for NaN and for zeros of both signs;
-- a == 0.0 ? 0.0 : a could be a. So it does not see that what the condition looks at is what is chosen, or its bits: the first value is veiled
-- unless the condition names neither; literals do not count. A condition that has a name may be any. Of two zeros it takes one for the other.
local function is_named(c, e)
    if e.bits then return false end
    local inner = e.text:match "^floatBitsTo%a+%((.*)%)$" or e.text:match "^-(.*)$" or e.text
    if inner:find "^[%a_][%w_]*$" then return c.text:find("%f[%w_]" .. inner .. "%f[^%w_]") ~= nil end
    return c.text:find(inner, 1, true) ~= nil
end
local function is_of_floats(how, e) return VEIL[how] and how ~= "halfbits" or e.text:find "^floatBitsTo" ~= nil end
local SIGN = { single = 0x80000000, half = 0x8000, double = math.mininteger }
local function are_zeros(how, a, b) return a.bits and b.bits and a.bits ~= b.bits and a.bits | b.bits == SIGN[how] end
local function may_compare(c, a, b) return c.text:find "^!?[%a_][%w_]*$" ~= nil or is_named(c, a) or is_named(c, b) end

-- Of ?: one side is evaluated: glslang makes branches of it unless both are names or constants. One branch after another in a loop takes
-- SwiftShader's compiler exponential time, and GPUs gain nothing from them; mix() of a condition evaluates both sides.
local function choose(d, s, c, a, b)
    local function is_plain(e) return e.bits or e.text:find("^[%a_][%w_]*$") end
    local how = held(d, s)
    local is_seen = (is_of_floats(how, a) or is_of_floats(how, b)) and may_compare(c, a, b)
    if is_seen or are_zeros(how, a, b) then a = operations.veiled_constant(d, s, a) end
    if is_plain(a) and is_plain(b) then return conditional(c, a, b) end
    return call("mix", b, a, (how == "pair" or how == "doublebits") and call("bvec2", c) or c)
end

function operations.apply(d, op, result, operand, arguments)
    if op == "convert" then return conversions(d, result, operand, arguments[1]) end
    if op == "bitcast" then return bitcast(d, result, operand, arguments[1]) end
    if op == "where" then return choose(d, result, table.unpack(arguments)) end
    local make = tables[held(d, operand)][op]
    if not make then d:unsupported(operand, operand .. " " .. (NOUN[op] or op)) end
    return make(d, operand, table.unpack(arguments))
end

return operations
