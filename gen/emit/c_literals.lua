-- c_literals.lua - constants as C and C++ write them: literal(dialect, scalar, raw bits) returns an expression.

local file = ...
local clike = file "gen/emit/clike.lua"
local numbers = file "gen/emit/numbers.lua"
local atom, cast, negative = clike.atom, clike.cast, clike.negative

local function signed(value, suffix)
    if value < 0 then return negative(("%d%s"):format(-value, suffix)) end
    return atom(numbers.unsigned(value, suffix))
end

local literal = {}

function literal.bool(_, bits) return atom(bits ~= 0 and "true" or "false") end

function literal.u32(_, bits) return atom(numbers.unsigned(bits, "u")) end
function literal.u64(_, bits) return atom(numbers.unsigned(bits, "ull")) end
function literal.u8(_, bits) return atom(numbers.unsigned(bits, "")) end
literal.u16 = literal.u8

function literal.i8(_, bits) return signed(bits, "") end
literal.i16 = literal.i8
function literal.i32(_, bits) return bits == -0x80000000 and cast("int", atom "0x80000000u") or signed(bits, "") end
function literal.i64(_, bits) return bits == math.mininteger and cast("i64", atom "0x8000000000000000ull") or signed(bits, "ll") end

function literal.f16(_, bits) return atom(("0x%04x"):format(bits)) end

function literal.f32(d, bits)
    local text, is_negative = numbers.f32(bits)
    if not text then return d:primitive("f32_from_bits", atom(("0x%08xu"):format(bits))) end
    return is_negative and negative(text .. "f") or atom(text .. "f")
end

function literal.f64(d, bits)
    local text, is_negative = numbers.f64(bits)
    if not text then return d:primitive("f64_from_bits", atom(("0x%016xull"):format(bits))) end
    return is_negative and negative(text) or atom(text)
end

return function(d, scalar, bits)
    local e = literal[scalar](d, bits)
    e.bits = bits
    return e
end
