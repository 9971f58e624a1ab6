-- c_operations.lua - every operation of gen/expr/expr.h as an expression of C or C++, where all integer types are native.
--
-- d is the dialect (c_dialect.lua), s the operand's scalar type, a, b, c expressions of clike.lua with these notes:
--   bits      a literal's value
--   mask      an upper bound of the value (gen/emit/ranges.lua)
--   promoted  a value of a narrow type, in its range, whose text C takes for an int
--   ring      of a signed result: the unsigned text that was cast back. Signed overflow is undefined in C, unsigned arithmetic wraps.
-- d:primitive(name, ..) calls what the language or its helpers have under that name; the bit counts among them give an int.

local file = ...
local clike = file "gen/emit/clike.lua"
local integers = file "gen/emit/integers.lua"
local literal = file "gen/emit/c_literals.lua"
local ranges = file "gen/emit/ranges.lua"
local atom, cast, conditional, infix, unary = clike.atom, clike.cast, clike.conditional, clike.infix, clike.unary

local WIDTH = ranges.WIDTH
local SIGNED = { i8 = true, i16 = true, i32 = true, i64 = true }
local IS_FLOAT = { f16 = true, f32 = true, f64 = true }
local UNSIGNED = { i8 = "u8", i16 = "u16", i32 = "u32", i64 = "u64" }

local function is_narrow(s) return WIDTH[s] ~= nil and WIDTH[s] < 32 end

local function promoted(e)
    e.promoted = true
    return e
end

-- A number as the type: of a wider one, its lowest bits.
local function to_scalar(d, s, e)
    local name = d.lang.narrowings and d.lang.narrowings[s]
    return name and promoted(d:helper(name, e)) or cast(d:scalar_name(s), e)
end

-- A result of narrow operands, which C has computed as an int, in their range again.
local function wrap(d, s, e)
    if not is_narrow(s) then return e end
    return ranges.fits(s, e) and promoted(e) or to_scalar(d, s, e)
end

-- ---- integers ----

-- A signed value as an operand of unsigned arithmetic.
local function unsigned(d, s, e)
    if e.ring then return e.ring end
    local U = UNSIGNED[s]
    if e.bits and e.bits < 0 and e.bits > math.mininteger then return clike.negative(literal(d, U, -e.bits).text) end
    return e.bits and literal(d, U, e.bits) or to_scalar(d, U, e)
end

local function from_ring(d, s, ring)
    local e = to_scalar(d, s, ring)
    e.ring = ring
    return e
end

-- The type that C computes in.
local function computed(s) return is_narrow(s) and "i32" or s end

local rules = { wrap = wrap, ranged = promoted, number = literal }
function rules.signed(s) return SIGNED[s] end
function rules.call(d, s, name, ...) return d:primitive(computed(s) .. "_" .. name, ...) end
function rules.helper(d, s, name, ...) return d:helper(computed(s) .. "_" .. name, ...) end

local integer = integers.operations(rules)

-- Signed overflow is undefined in C: what may be beyond the type is computed unsigned. So are products of u16 and shifts of narrow types, which C
-- computes in int.
local function plain_and(op, other)
    local plain = integer[op]
    integer[op] = function(d, s, a, b)
        local is_bounded = op ~= "sub" and ranges.noted(op, s, {}, a, b).mask
        return not is_bounded and other(d, s, a, b) or plain(d, s, a, b)
    end
end
for op, symbol in pairs { add = "+", sub = "-", mul = "*" } do
    plain_and(op, function(d, s, a, b)
        if SIGNED[s] and not is_narrow(s) then return from_ring(d, s, infix(symbol, unsigned(d, s, a), unsigned(d, s, b))) end
        return s == "u16" and op == "mul" and wrap(d, s, infix(symbol, cast("uint", a), b)) -- 65535 * 65535 is beyond int
    end)
end
plain_and("shl", function(d, s, a, n)
    if not SIGNED[s] then return nil end
    local by = rules.count(d, s, n)
    if is_narrow(s) then return wrap(d, s, infix("<<", cast("uint", a), by)) end
    return from_ring(d, s, infix("<<", unsigned(d, s, a), by))
end)
function integer.neg(d, s, a)
    if is_narrow(s) then return wrap(d, s, unary("-", a)) end
    if not SIGNED[s] then return infix("-", literal(d, s, 0), a) end
    local e = d:helper(s .. "_neg", a)
    e.ring = infix("-", literal(d, UNSIGNED[s], 0), unsigned(d, s, a))
    return e
end
function integer.abs(d, s, a) return SIGNED[s] and wrap(d, s, d:helper(computed(s) .. "_abs", a)) or a end
function integer.fma(d, s, a, b, c) return integer.add(d, s, integer.mul(d, s, a, b), c) end
function integer.mulhi(d, s, a, b)
    if not is_narrow(s) then return d:primitive(s .. "_mulhi", a, b) end
    local product = infix("*", s == "u16" and cast("uint", a) or a, b)
    return promoted(infix(">>", product, atom(tostring(WIDTH[s]))))
end

-- The value's own bits, where C would extend a sign.
local function field(d, s, a) return is_narrow(s) and SIGNED[s] and to_scalar(d, UNSIGNED[s], a) or a end
local function bits_name(s, op) return (WIDTH[s] == 64 and "u64_" or "u32_") .. op end
-- An int as the type.
local function from_int(d, s, e) return (is_narrow(s) or s == "i32") and promoted(e) or to_scalar(d, s, e) end
-- A uint or u64 as the type; the upper bits of a narrow one go.
local function from_unsigned(d, s, e) return (s == "u32" or s == "u64") and e or to_scalar(d, s, e) end

function integer.popcount(d, s, a) return from_int(d, s, d:primitive(bits_name(s, "popcount"), field(d, s, a))) end
function integer.clz(d, s, a)
    local zeros = d:primitive(bits_name(s, "clz"), field(d, s, a))
    return from_int(d, s, is_narrow(s) and infix("-", zeros, atom(tostring(32 - WIDTH[s]))) or zeros)
end
function integer.ctz(d, s, a)
    if is_narrow(s) then a = infix("|", a, atom(("0x%xu"):format(1 << WIDTH[s]))) end
    return from_int(d, s, d:primitive(bits_name(s, "ctz"), a))
end
function integer.bitreverse(d, s, a)
    local reversed = d:primitive(bits_name(s, "bitreverse"), a)
    return from_unsigned(d, s, is_narrow(s) and infix(">>", reversed, atom(tostring(32 - WIDTH[s]))) or reversed)
end
local function rotate(op)
    return function(d, s, a, n)
        local by = n.bits and atom((n.bits & (WIDTH[s] - 1)) .. "u") or n
        if not is_narrow(s) then return from_unsigned(d, s, d:primitive(bits_name(s, op), a, by)) end
        return from_unsigned(d, s, d:helper("field_" .. op, a, by, atom(WIDTH[s] .. "u")))
    end
end
integer.rotl, integer.rotr = rotate "rotl", rotate "rotr"

-- ---- floats ----

-- Sums stand as they are, for what a compiler fuses with them is a product: the language sees to it that products are rounded.
local function is_zero(s, e) return e.bits ~= nil and (e.bits == 0 or e.bits == 1 << WIDTH[s] - 1) end -- of either sign
local float = {}
for op, symbol in pairs { add = "+", sub = "-", lt = "<", le = "<=", gt = ">", ge = ">=", eq = "==", ne = "!=" } do
    float[op] = function(_, _, a, b) return infix(symbol, a, b) end
end
for op, name in pairs { sqrt = "sqrt", exp = "exp", exp2 = "exp2", log = "log", log2 = "log2", sin = "sin", cos = "cos", tanh = "tanh",
                        floor = "floor", ceil = "ceil", round = "rint", trunc = "trunc" } do
    float[op] = function(_, s, a) return clike.call(s == "f32" and name .. "f" or name, a) end
end
function float.mul(d, s, a, b) return d:product(s, a, b) end
function float.neg(_, _, a) return unary("-", a) end
function float.fma(_, s, a, b, c) return clike.call(s == "f32" and "fmaf" or "fma", a, b, c) end
function float.div(d, s, a, b)
    local name = is_zero(s, b) and d.lang.quotients and d.lang.quotients[s]
    return name and clike.call(name, a, b) or infix("/", a, b)
end
function float.floordiv(d, s, a, b) return float.floor(d, s, float.div(d, s, a, b)) end
function float.mod(d, s, a, b) return d:helper(s .. "_mod", a, b) end
for _, op in ipairs { "abs", "min", "max", "rsqrt", "isnan" } do
    float[op] = function(d, s, ...) return d:primitive(s .. "_" .. op, ...) end
end

-- An f16 is its bits, computed in f32 and rounded, which for + - * / and sqrt is the one rounding asked for.
local half = {}
for op in pairs(float) do
    half[op] = function(d, _, ...)
        local wide = {}
        for i, e in ipairs { ... } do wide[i] = d:helper("f16_to_f32", e) end
        local value = op == "mul" and infix("*", wide[1], wide[2]) or float[op](d, "f32", table.unpack(wide)) -- products of two are exact
        local is_condition = op == "lt" or op == "le" or op == "gt" or op == "ge" or op == "eq" or op == "ne" or op == "isnan"
        return is_condition and value or d:helper("f32_to_f16", value)
    end
end
function half.neg(_, _, a) return promoted(infix("^", a, atom "0x8000")) end
function half.abs(_, _, a) return promoted(infix("&", a, atom "0x7fff")) end
function half.mod(d, _, a, b) return d:helper("f16_mod", a, b) end
function half.floordiv(d, s, a, b) return half.floor(d, s, half.div(d, s, a, b)) end

-- ---- bits ----

local operations = {}

-- The scalar's bits as a uint or u64, those of a narrow one zero-extended.
function operations.bits_of(d, s, e)
    if s == "u32" or s == "u64" then return e end
    if s == "f32" or s == "f64" then return d:primitive(s .. "_bits", e) end
    return e.ring or cast(WIDTH[s] == 64 and "u64" or "uint", field(d, s, e))
end

-- The scalar of these bits; above a narrow one's there may be others.
function operations.value_of(d, s, bits)
    if s == "u32" or s == "u64" then return bits end
    if s == "f32" or s == "f64" then return d:primitive(s .. "_from_bits", bits) end
    return cast(d:scalar_name(s), bits)
end

local function bitcast(d, to, from, e)
    if is_narrow(to) then return to_scalar(d, to, e) end
    return operations.value_of(d, to, operations.bits_of(d, from, e))
end

-- ---- conversions: floats to integers saturate, integers wrap ----

local convert

local function float_to_integer(d, to, from, e)
    if from == "f16" then return float_to_integer(d, to, "f32", d:helper("f16_to_f32", e)) end
    if not is_narrow(to) then return d:primitive(from .. "_to_" .. to, e) end
    local most = (1 << (SIGNED[to] and WIDTH[to] - 1 or WIDTH[to])) - 1
    if not SIGNED[to] then return promoted(d:primitive("u32_min", d:primitive(from .. "_to_u32", e), literal(d, "u32", most))) end
    local raised = d:primitive("i32_max", d:primitive(from .. "_to_i32", e), literal(d, "i32", -most - 1))
    return promoted(d:primitive("i32_min", raised, literal(d, "i32", most)))
end

function convert(d, to, from, e)
    if to == from then return e end
    if to == "bool" then return (from == "f16" and half or float).ne(d, from, e, literal(d, from, 0)) end
    if from == "bool" and to == "f16" then return promoted(conditional(e, atom "0x3c00", atom "0x0000")) end
    if to == "f16" then
        if from == "f64" then return d:helper("f64_to_f16", e) end
        return d:helper("f32_to_f16", convert(d, "f32", from, e)) -- what f32 rounds of an integer is beyond f16
    end
    if from == "f16" and IS_FLOAT[to] then return convert(d, to, "f32", d:helper("f16_to_f32", e)) end
    if IS_FLOAT[from] and not IS_FLOAT[to] then return float_to_integer(d, to, from, e) end
    if e.ring and not IS_FLOAT[to] and WIDTH[to] <= WIDTH[from] and to ~= from then
        return to == UNSIGNED[from] and e.ring or to_scalar(d, to, e.ring)
    end
    local converted = to_scalar(d, to, e)
    if not IS_FLOAT[to] and WIDTH[to] == 32 and is_narrow(from) then converted.mask = ranges.most(from, e) end
    return converted
end

-- ---- the whole ----

local function tables(s)
    if s == "bool" then return integers.conditions end
    return s == "f16" and half or IS_FLOAT[s] and float or integer
end

local function choose(_, _, c, a, b)
    local e = conditional(c, a, b)
    e.promoted = a.promoted or b.promoted or a.bits ~= nil or b.bits ~= nil
    return e
end

function operations.bytes(s) return WIDTH[s] // 8 end
function operations.is_wide(s) return WIDTH[s] == 64 end
function operations.is_narrow(s) return is_narrow(s) end

function operations.apply(d, op, result, operand, arguments)
    if op == "convert" then return convert(d, result, operand, arguments[1]) end
    if op == "bitcast" then return bitcast(d, result, operand, arguments[1]) end
    local make = op == "where" and choose or tables(operand)[op]
    local e = make(d, operand, table.unpack(arguments))
    e.promoted = e.promoted and is_narrow(result)
    return e
end

return operations
