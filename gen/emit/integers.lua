-- integers.lua - operations on integers that a language has itself, and on conditions: what C's family and GLSL share. A language says in `rules`:
--   signed(s)               whether the type is signed
--   wrap(d, s, e)           brings a result back into the range of a narrow type
--   ranged(e)               a result that is in the type's range
--   number(d, s, bits)      a literal
--   call(d, s, name, ..)    the language's own function for the type: min, max
--   helper(d, s, name, ..)  a helper for the signed type: div, floordiv, mod
-- and puts its own in the place of operations that are otherwise there. d is the dialect, s the operands' scalar type, a, b expressions of clike.lua.

local file = ...
local clike = file "gen/emit/clike.lua"
local ranges = file "gen/emit/ranges.lua"
local atom, infix, unary = clike.atom, clike.infix, clike.unary

local integers, WIDTH = {}, ranges.WIDTH

local COMPARISONS = { lt = "<", le = "<=", gt = ">", ge = ">=", eq = "==", ne = "!=" }

local function is_power_of_two(bits) return bits and bits > 0 and bits & (bits - 1) == 0 end
local function log2(bits)
    local exponent = 0
    while bits >> exponent > 1 do exponent = exponent + 1 end
    return exponent
end

-- Division by a constant that is neither 0 nor -1 needs no care.
local function is_plain_divisor(b) return b.bits and b.bits ~= 0 and b.bits ~= -1 end

function integers.operations(rules)
    local signed, wrap, ranged, number = rules.signed, rules.wrap, rules.ranged, rules.number
    local integer = {}

    -- A shift count below the width.
    function rules.count(d, s, n)
        if n.bits then return atom(tostring(n.bits & (WIDTH[s] - 1))) end
        if n.mask and n.mask < WIDTH[s] then return n end
        return infix("&", n, number(d, s, WIDTH[s] - 1))
    end

    local function unsigned_divisor(d, s, b)
        if is_plain_divisor(b) or b.bits == -1 then return b end
        return rules.call(d, s, "max", b, number(d, s, 1))
    end

    for op, symbol in pairs(COMPARISONS) do
        integer[op] = function(_, _, a, b) return infix(symbol, a, b) end
    end
    for op, symbol in pairs { add = "+", mul = "*" } do
        integer[op] = function(d, s, a, b) return wrap(d, s, ranges.noted(op, s, infix(symbol, a, b), a, b)) end
    end
    function integer.sub(d, s, a, b) return wrap(d, s, infix("-", a, b)) end
    for op, symbol in pairs { ["and"] = "&", ["or"] = "|", xor = "^" } do
        integer[op] = function(_, s, a, b) return ranged(ranges.noted(op, s, infix(symbol, a, b), a, b)) end
    end
    integer["not"] = function(d, s, a) return signed(s) and ranged(unary("~", a)) or wrap(d, s, unary("~", a)) end
    function integer.shl(d, s, a, n) return wrap(d, s, ranges.noted("shl", s, infix("<<", a, rules.count(d, s, n)), a, n)) end
    function integer.shr(d, s, a, n) return ranged(ranges.noted("shr", s, infix(">>", a, rules.count(d, s, n)), a, n)) end
    function integer.div(d, s, a, b)
        if not signed(s) then return ranged(infix("/", a, unsigned_divisor(d, s, b))) end
        if is_plain_divisor(b) then return ranged(infix("/", a, b)) end
        return wrap(d, s, rules.helper(d, s, "div", a, b))
    end
    function integer.floordiv(d, s, a, b)
        if not signed(s) then return integer.div(d, s, a, b) end
        if is_power_of_two(b.bits) then return ranged(infix(">>", a, atom(tostring(log2(b.bits))))) end
        return wrap(d, s, rules.helper(d, s, "floordiv", a, b))
    end
    function integer.mod(d, s, a, b)
        if is_power_of_two(b.bits) then return ranged(infix("&", a, number(d, s, b.bits - 1))) end
        if not signed(s) then return ranged(infix("%", a, unsigned_divisor(d, s, b))) end
        return ranged(rules.helper(d, s, "mod", a, b))
    end
    function integer.min(d, s, a, b) return ranged(rules.call(d, s, "min", a, b)) end
    function integer.max(d, s, a, b) return ranged(rules.call(d, s, "max", a, b)) end
    return integer
end

integers.conditions = {
    land = function(_, _, a, b) return infix("&&", a, b) end,
    lor = function(_, _, a, b) return infix("||", a, b) end,
    lnot = function(_, _, a) return unary("!", a) end,
    eq = function(_, _, a, b) return infix("==", a, b) end,
    ne = function(_, _, a, b) return infix("!=", a, b) end,
}

return integers
