-- vocabulary.lua - what a spec may say: types, values, functions, monoids, operations. docs: the spec language.
--
-- A value is a node (scalar, userdata), a vec or a struct (Value: a list of values with its type), or a plain Lua number, which takes the type
-- of what it meets. c: the primitives of gen/binding.c.

local c = ...
local spec = {} -- the globals of a spec

local Type, Value = {}, {}
Type.__metatable, Value.__metatable = "type", "value"

local rawtype, is_node, node_type = type, c.is_node, c.node_type

local rep, format, gsub, find = string.rep, string.format, string.gsub, string.find -- before the sandbox guards them

local function fail(...) c.fail(format(...)) end

local function is_type(x) return getmetatable(x) == "type" end
local function is_value(x) return getmetatable(x) == "value" end

local function sorted_keys(t)
    local keys = {}
    for key in c.next, t do
        local kind = rawtype(key)
        if kind ~= "number" and kind ~= "string" then fail("pairs: a table with a %s as a key has no order; use numbers or strings", kind) end
        keys[#keys + 1] = key
    end
    table.sort(keys, function(a, b)
        if rawtype(a) ~= rawtype(b) then return rawtype(a) == "number" end
        return a < b
    end)
    return keys
end

-- ---- types ----

local SCALARS = { "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "f32", "f64" }

local function new_type(fields) return setmetatable(fields, Type) end

local by_scalar = {}
for _, name in ipairs(SCALARS) do
    by_scalar[name] = new_type { kind = "scalar", name = name, scalar = name, handle = c.scalar_type(name), leaves = 1 }
    spec[name] = by_scalar[name]
end
local bool = new_type { kind = "scalar", name = "bool", scalar = "bool", leaves = 1 }
local function scalar_of(node) return by_scalar[node_type(node)] or bool end

local function type_of(v)
    if is_node(v) then return scalar_of(v) end
    if is_value(v) then return rawget(v, "type") end
end

local function describe(v)
    local T = type_of(v)
    if T then return T.name end
    return rawtype(v) == "table" and "a table" or "a " .. rawtype(v)
end

local function storable(T, where)
    if not is_type(T) then fail("%s: expected a type, as u32 or a struct, not %s", where, describe(T)) end
    return T
end

local vecs = {}
function spec.vec(T, n)
    storable(T, "vec")
    local key = T.name .. ":" .. tostring(n)
    if not vecs[key] then
        vecs[key] = new_type { kind = "vec", name = ("vec(%s, %s)"):format(T.name, n), element = T, length = n, handle = c.vec_type(T.handle, n),
            scalar = T.scalar, leaves = n }
    end
    return vecs[key]
end

local function structure(name, list)
    if rawtype(list) ~= "table" then fail("struct \"%s\": expected a list of fields, { {\"field\", type}, .. }", name) end
    local T = { kind = "struct", name = name, fields = {}, index = {}, leaves = 0 }
    local handles = {}
    for i, field in ipairs(list) do
        if rawtype(field) ~= "table" or rawtype(field[1]) ~= "string" then fail("struct \"%s\": field %d is not {\"name\", type}", name, i) end
        local U = storable(field[2], ("struct \"%s\": field '%s'"):format(name, field[1]))
        T.fields[i] = { name = field[1], type = U }
        T.index[field[1]] = i
        T.leaves = T.leaves + U.leaves
        handles[i] = { field[1], U.handle }
    end
    T.handle = c.struct_type(name, handles)
    return new_type(T)
end

function spec.struct(name)
    if rawtype(name) ~= "string" then fail("struct: expected a name, as in struct \"Affine\" { {\"a\", f32}, {\"b\", f32} }") end
    return function(list) return structure(name, list) end
end

local function same_type(a, b) return a == b or (a.handle ~= nil and b.handle ~= nil and c.same_type(a.handle, b.handle)) end

-- ---- values ----

local function new_value(T, parts)
    parts.type = T
    return setmetatable(parts, Value)
end

-- v as a value of type T; where: for messages.
local function coerce(T, v, where)
    if T.kind == "scalar" then
        if is_node(v) then
            if node_type(v) ~= T.scalar then fail("%s is %s, expected %s; convert it, as in %s(x)", where, node_type(v), T.name, T.name) end
            return v
        end
        if rawtype(v) == "number" then return c.const(T.scalar, v, where) end
        fail("%s is %s, expected %s", where, describe(v), T.name)
    end
    if is_value(v) then
        if not same_type(rawget(v, "type"), T) then fail("%s is %s, expected %s", where, describe(v), T.name) end
        return v
    end
    if rawtype(v) ~= "table" then fail("%s is %s, expected %s", where, describe(v), T.name) end
    local parts = {}
    if T.kind == "vec" then
        if #v ~= T.length then fail("%s has %d components, %s has %d", where, #v, T.name, T.length) end
        for i = 1, T.length do parts[i] = coerce(T.element, v[i], ("%s: component %d"):format(where, i)) end
    else
        for i, field in ipairs(T.fields) do
            local part = v[field.name]
            if part == nil then part = v[i] end
            if part == nil then fail("%s: field '%s' of %s is missing", where, field.name, T.name) end
            parts[i] = coerce(field.type, part, ("%s: field '%s'"):format(where, field.name))
        end
        for key in c.next, v do
            if not T.index[key] and not (math.type(key) == "integer" and T.fields[key]) then fail("%s: %s has no field '%s'", where, T.name, tostring(key)) end
        end
    end
    return new_value(T, parts)
end

function Type.__call(T, first, ...)
    if T.kind == "scalar" then
        if select("#", ...) > 0 then fail("%s(x) takes one value", T.name) end
        if is_node(first) then return c.convert(T.scalar, first) end
        return coerce(T, first, T.name)
    end
    if select("#", ...) == 0 and (rawtype(first) == "table" or is_value(first)) and (T.kind == "struct" or not is_node(first)) then
        local single = T.kind == "struct" and #T.fields == 1 and is_value(first) and not same_type(rawget(first, "type"), T)
        if not single then return coerce(T, first, T.name) end
    end
    local given = table.pack(first, ...)
    local wanted = T.kind == "vec" and T.length or #T.fields
    if given.n ~= wanted then fail("%s takes %d values, not %d", T.name, wanted, given.n) end
    given.n = nil
    return coerce(T, given, T.name)
end

local LIMITS = {
    u8 = { 0, 255 }, i8 = { -128, 127 }, u16 = { 0, 65535 }, i16 = { -32768, 32767 }, u32 = { 0, 4294967295 }, i32 = { -2147483648, 2147483647 },
    u64 = { 0, -1 }, i64 = { math.mininteger, math.maxinteger }, f16 = { -65504.0, 65504.0, 2.0 ^ -10 },
    f32 = { -(2.0 - 2.0 ^ -23) * 2.0 ^ 127, (2.0 - 2.0 ^ -23) * 2.0 ^ 127, 2.0 ^ -23 },
    f64 = { -(2.0 - 2.0 ^ -52) * 2.0 ^ 1023, (2.0 - 2.0 ^ -52) * 2.0 ^ 1023, 2.0 ^ -52 },
}
function Type.__index(T, key)
    local limits = LIMITS[rawget(T, "scalar")]
    if rawget(T, "kind") == "scalar" and limits then
        local float = limits[3] ~= nil
        if key == "max" then return key == "max" and c.const(T.scalar, limits[2], "max", true) end
        if key == "min" and not float or key == "lowest" and float then return c.const(T.scalar, limits[1], key, true) end
        if float and key == "inf" then return c.const(T.scalar, math.huge, key) end
        if float and key == "epsilon" then return c.const(T.scalar, limits[3], key) end
        fail("%s has no '%s'; there are %s", T.name, tostring(key), float and "inf, lowest, max, epsilon" or "min, max")
    end
end
function Type.__tostring(T) return T.name end

local COMPONENT = { x = 1, y = 2, z = 3, w = 4 }
function Value.__index(v, key)
    local T = rawget(v, "type")
    local place = T.kind == "vec" and (COMPONENT[key] or key) or T.kind == "struct" and T.index[key]
    local part = place and rawget(v, place)
    if part == nil then fail("%s has no field '%s'", T.name, tostring(key)) end
    return part
end
function Value.__newindex(v, key) fail("a value of %s cannot be changed; build a new one", rawget(v, "type").name) end
function Value.__tostring(v) return rawget(v, "type").name .. " expression" end

-- The scalars of a value, in memory order.
local function flatten(v, into)
    into = into or {}
    if is_node(v) then
        into[#into + 1] = v
    else
        for i = 1, rawget(v, "type").kind == "vec" and rawget(v, "type").length or #rawget(v, "type").fields do flatten(rawget(v, i), into) end
    end
    return into
end

local function unflatten(T, take)
    if T.kind == "scalar" then return take(T.scalar) end
    local parts = {}
    for i = 1, T.kind == "vec" and T.length or #T.fields do parts[i] = unflatten(T.kind == "vec" and T.element or T.fields[i].type, take) end
    return new_value(T, parts)
end

-- ---- expressions ----

local function is_vec(v) return is_value(v) and rawget(v, "type").kind == "vec" end

-- Applies a scalar operation; numbers take the type of the first node among the arguments (the last two of where()).
local function scalar_op(op, arguments, first)
    local scalar
    for i = first or 1, #arguments do scalar = scalar or (is_node(arguments[i]) and node_type(arguments[i])) end
    for i = 1, #arguments do
        local a = arguments[i]
        if rawtype(a) == "number" and scalar and i >= (first or 1) then
            arguments[i] = c.const(scalar, a, op)
        elseif not is_node(a) then
            fail("%s: %s; expected a scalar expression%s", op, describe(a),
                rawtype(a) == "boolean" and " (comparisons are written lt, le, eq, ne; and, or, not as land, lor, lnot)" or "")
        end
    end
    return c.op(op, table.unpack(arguments))
end

local function elementwise(op, arguments, first)
    local T
    for i = 1, #arguments do
        if is_vec(arguments[i]) then
            local U = rawget(arguments[i], "type")
            if T and U.length ~= T.length then fail("%s: %s and %s have different lengths", op, T.name, U.name) end
            T = T or U
        elseif is_value(arguments[i]) then
            fail("%s: %s is a struct; name one of its fields", op, describe(arguments[i]))
        end
    end
    if not T then return scalar_op(op, arguments, first) end
    local parts = {}
    for k = 1, T.length do
        local row = {}
        for i = 1, #arguments do row[i] = is_vec(arguments[i]) and rawget(arguments[i], k) or arguments[i] end
        parts[k] = scalar_op(op, row, first)
    end
    if node_type(parts[1]) == "bool" then return parts end
    return new_value(spec.vec(scalar_of(parts[1]), T.length), parts)
end

local function any_symbolic(arguments)
    for i = 1, #arguments do if is_node(arguments[i]) or is_value(arguments[i]) then return true end end
    return false
end

local function operation(op, plain, first)
    return function(...)
        local arguments = table.pack(...)
        if arguments.n ~= c.arity(op) then fail("%s takes %d values, not %d", op, c.arity(op), arguments.n) end
        if any_symbolic(arguments) then return elementwise(op, arguments, first) end
        if not plain then fail("%s: give one value a type, as in u32(1)", op) end
        return plain(...)
    end
end

local OPERATORS = {
    __add = "add", __sub = "sub", __mul = "mul", __div = "div", __idiv = "floordiv", __mod = "mod", __band = "and", __bor = "or", __bxor = "xor",
    __shl = "shl", __shr = "shr",
}
local node_metatable = c.node_metatable
for event, op in c.next, OPERATORS do
    local function apply(a, b) return elementwise(op, { a, b }) end
    node_metatable[event], Value[event] = apply, apply
end
for event, op in c.next, { __unm = "neg", __bnot = "not" } do
    local function apply(a) return elementwise(op, { a }) end
    node_metatable[event], Value[event] = apply, apply
end
for event, name in c.next, { __lt = "lt", __le = "le", __eq = "eq" } do
    local sign = ({ __lt = "<", __le = "<=", __eq = "==" })[event]
    local function refuse() fail("'a %s b' cannot be traced; write %s(a, b)", sign, name) end
    node_metatable[event], Value[event] = refuse, refuse
end
function node_metatable.__index(node, key) fail("%s has no field '%s'", node_type(node), tostring(key)) end
function node_metatable.__newindex(node, key) fail("%s has no field '%s'", node_type(node), tostring(key)) end
function node_metatable.__tostring(node) return node_type(node) .. " expression" end
function node_metatable.__concat() fail("an expression has no text; use it in arithmetic only") end
Value.__concat = node_metatable.__concat

spec.lt = operation("lt", function(a, b) return a < b end)
spec.le = operation("le", function(a, b) return a <= b end)
spec.gt = operation("gt", function(a, b) return a > b end)
spec.ge = operation("ge", function(a, b) return a >= b end)
spec.eq = operation("eq", function(a, b) return a == b end)
spec.ne = operation("ne", function(a, b) return a ~= b end)
spec.land = operation("land", function(a, b) return a and b end)
spec.lor = operation("lor", function(a, b) return a or b end)
spec.lnot = operation("lnot", function(a) return not a end)
spec.min, spec.max = operation("min", math.min), operation("max", math.max)
spec.abs = operation("abs", math.abs)
spec.fma = operation("fma", function(a, b, d) return a * b + d end)
for _, op in ipairs { "mulhi", "popcount", "clz", "ctz", "bitreverse", "rotl", "rotr", "trunc", "round", "rsqrt", "tanh", "exp2", "log2" } do
    spec[op] = operation(op)
end
spec.sqrt, spec.exp, spec.log = operation("sqrt", math.sqrt), operation("exp", math.exp), operation("log", math.log)
spec.sin, spec.cos = operation("sin", math.sin), operation("cos", math.cos)
spec.floor, spec.ceil = operation("floor", math.floor), operation("ceil", math.ceil)
spec.isnan = operation("isnan", function(x) return x ~= x end)
function spec.clamp(x, lo, hi) return spec.min(spec.max(x, lo), hi) end

local choose = operation("where", function(condition, a, b) if condition then return a end return b end, 2)
function spec.where(condition, a, b)
    local T = is_value(a) and rawget(a, "type") or is_value(b) and rawget(b, "type")
    if T and not is_vec(condition) and rawtype(condition) ~= "boolean" and rawtype(condition) ~= "table" then
        a, b = coerce(T, a, "where"), coerce(T, b, "where")
        local left, right, k = flatten(a), flatten(b), 0
        return unflatten(T, function()
            k = k + 1
            return c.op("where", condition, left[k], right[k])
        end)
    end
    return choose(condition, a, b)
end

function spec.bitcast(T, x)
    storable(T, "bitcast")
    if T.kind ~= "scalar" or not is_node(x) then fail("bitcast(T, x): a scalar type and a scalar expression of the same size") end
    return c.bitcast(T.scalar, x)
end

-- ---- functions ----

-- Calls fn on symbolic arguments; result: the type it must have, or nil for any. Gives a function handle and the result's type.
local function trace(name, fn, parameter_names, types, result)
    if rawtype(fn) ~= "function" then fail("%s: expected a function, not %s", name, describe(fn)) end
    local count, names = c.parameters(fn)
    if count > #types then fail("%s takes %d values, this function wants %d", name, #types, count) end
    local needed = name == "combine" and #types or math.max(1, count)
    local arguments, params = {}, {}
    for p = 1, needed do
        local leaf = -1
        arguments[p] = unflatten(types[p], function(scalar)
            leaf = leaf + 1
            return c.input(p - 1, leaf, scalar)
        end)
        params[p] = { names[p] or parameter_names[p], types[p].handle }
    end
    local value = fn(table.unpack(arguments, 1, needed))
    if value == nil then fail("%s returns nothing; return the expression", name) end
    if not result then
        result = type_of(value)
        if not result then fail("%s returns %s; give it a type, as in u32(x) or Name { .. }", name, describe(value)) end
        if result == bool then fail("%s returns a condition, which cannot be stored; convert it, as in u32(x)", name) end
    end
    value = coerce(result, value, name .. ": the result")
    return c.func(name, params, result.handle, flatten(value)), result
end

local function closest(word, known)
    local best, least
    for _, candidate in ipairs(known) do
        local same = 0
        for i = 1, math.min(#word, #candidate) do if word:sub(i, i) == candidate:sub(i, i) then same = same + 1 end end
        local distance = math.max(#word, #candidate) - same
        if not least or distance < least then best, least = candidate, distance end
    end
    return best
end

local function check_keys(what, t, known)
    if rawtype(t) ~= "table" then fail("%s: expected a table, %s { .. }", what, what) end
    for _, key in ipairs(sorted_keys(t)) do
        local found
        for _, name in ipairs(known) do found = found or name == key end
        if not found then fail("%s has no parameter '%s'; did you mean '%s'?", what, tostring(key), closest(tostring(key), known)) end
    end
end

-- ---- monoids ----

local Monoid = { __metatable = "monoid" }
local function is_monoid(x) return getmetatable(x) == "monoid" end

local function new_monoid(t)
    local T = storable(t.type, "monoid: type")
    local m = { type = T, name = t.name or "monoid", commutative = t.commutative or false, identity = t.identity, combine_function = t.combine }
    if t.identity == nil then fail("monoid: identity is missing") end
    if t.laws ~= nil and t.laws ~= "trusted" and t.laws ~= "strict" then fail("monoid: laws is \"trusted\" or \"strict\", or left out") end
    m.handle = c.monoid {
        name = m.name, type = T.handle, identity = flatten(coerce(T, t.identity, "identity")), combine = trace("combine", t.combine, { "a", "b" }, { T, T }, T),
        commutative = m.commutative, laws = t.laws or "checked",
    }
    return setmetatable(m, Monoid)
end

function spec.monoid(t)
    check_keys("monoid", t, { "type", "identity", "combine", "commutative", "laws", "sample", "name" })
    return new_monoid(t)
end

local function ready(name, identity, combine)
    spec[name] = function(T)
        storable(T, name)
        return new_monoid { name = ("%s(%s)"):format(name, T.name), type = T, identity = identity(T), combine = combine, commutative = true }
    end
end

local function everywhere(T, number)
    if T.kind == "scalar" then return number(T) end
    if T.kind ~= "vec" then fail("%s is a struct; write a monoid { .. } for it", T.name) end
    local parts = {}
    for i = 1, T.length do parts[i] = number(T.element) end
    return parts
end
local function constant(n) return function(T) return everywhere(T, function() return n end) end end
local function is_float(T) return T.scalar:sub(1, 1) == "f" end
local function greatest(T) return everywhere(T, function(S) return is_float(S) and S.inf or S.max end) end
local function smallest(T) return everywhere(T, function(S) return is_float(S) and -S.inf or S.min end) end
local function all_ones(T) return everywhere(T, function(S) return ~S(0) end) end

ready("sum", constant(0), function(a, b) return a + b end)
ready("product", constant(1), function(a, b) return a * b end)
ready("minimum", greatest, function(a, b) return spec.min(a, b) end)
ready("maximum", smallest, function(a, b) return spec.max(a, b) end)
ready("bit_and", all_ones, function(a, b) return a & b end)
ready("bit_or", constant(0), function(a, b) return a | b end)
ready("bit_xor", constant(0), function(a, b) return a ~ b end)

local function arg(name, better, identity)
    spec[name] = function(T, index)
        storable(T, name)
        index = index or spec.u32
        local Pair = structure(name .. "_" .. T.name .. (index == spec.u32 and "" or "_" .. index.name), { { "value", T }, { "index", index } })
        return new_monoid { name = ("%s(%s)"):format(name, T.name), type = Pair, commutative = true, identity = Pair(identity(T), index.max),
            combine = function(a, b)
                local first = spec.lor(better(a.value, b.value), spec.land(spec.eq(a.value, b.value), spec.le(a.index, b.index)))
                return spec.where(first, a, b)
            end }
    end
end
arg("argmin", function(a, b) return spec.lt(a, b) end, greatest)
arg("argmax", function(a, b) return spec.gt(a, b) end, smallest)

function spec.pair(...)
    local members, names = { ... }, {}
    if #members == 1 and not is_monoid(members[1]) then
        local t = members[1]
        local order = t.order
        if not order then
            order = {}
            for _, key in ipairs(sorted_keys(t)) do order[#order + 1] = key end
        end
        members = {}
        for i, key in ipairs(order) do names[i], members[i] = key, t[key] end
    end
    local fields, title, identity, commutative = {}, {}, {}, true
    for i, m in ipairs(members) do
        if not is_monoid(m) then fail("pair: expected monoids, not %s", describe(m)) end
        names[i] = names[i] or "_" .. i
        fields[i], title[i], identity[i] = { names[i], m.type }, m.name, m.identity
        commutative = commutative and m.commutative
    end
    local P = structure("Pair_" .. table.concat(names, "_"), fields)
    return new_monoid { name = "pair(" .. table.concat(title, ", ") .. ")", type = P, identity = identity, commutative = commutative,
        combine = function(a, b)
            local parts = {}
            for i, m in ipairs(members) do parts[i] = m.combine_function(a[names[i]], b[names[i]]) end
            return parts
        end }
end

function spec.segmented(m)
    if not is_monoid(m) then fail("segmented: expected a monoid, not %s", describe(m)) end
    local S = structure("Segmented_" .. m.type.name:gsub("%W", "_"), { { "flag", spec.u32 }, { "value", m.type } })
    return new_monoid { name = "segmented(" .. m.name .. ")", type = S, identity = { flag = 0, value = m.identity },
        combine = function(a, b)
            local joined = coerce(m.type, m.combine_function(a.value, b.value), "combine: the result")
            return S { flag = a.flag | b.flag, value = spec.where(spec.ne(b.flag, 0), b.value, joined) }
        end }
end

-- ---- operations ----

local Operation = { __metatable = "operation" }
local KNOBS = { "strategy", "block", "blocks", "items", "subgroup", "digit_bits", "lookback", "stages", "vector" }

local function flag(t, key)
    if t[key] ~= nil and rawtype(t[key]) ~= "boolean" then fail("%s is true or false, not %s", key, describe(t[key])) end
    return t[key] or false
end

local function tuning(tune)
    check_keys("tune", tune, KNOBS)
    local list = {}
    for _, key in ipairs(sorted_keys(tune)) do list[#list + 1] = { key, tostring(tune[key]) } end
    return list
end

local function new_operation(kind, t, known)
    check_keys(kind, t, known)
    local m = t.monoid
    if not is_monoid(m) then fail("%s: monoid is %s; give one, as in monoid = sum(u32)", kind, m == nil and "missing" or describe(m)) end
    local op = { kind = kind, monoid = m.handle, name = t.name, doc = t.doc, tune = tuning(t.tune or {}), reverse = flag(t, "reverse"),
        deterministic = flag(t, "deterministic") }
    if t.name ~= nil and not (rawtype(t.name) == "string" and t.name:find("^[%a_][%w_]*$")) then fail("%s: name is an identifier", kind) end
    if t.kind ~= nil and t.kind ~= "inclusive" and t.kind ~= "exclusive" then fail("scan: kind is \"inclusive\" or \"exclusive\"") end
    op.exclusive = t.kind == "exclusive"
    local input = t.input and storable(t.input, kind .. ": input") or m.type
    op.input = input.handle
    if t.map then
        op.map = trace("map", t.map, { "x", "i" }, { input, spec.u64 }, m.type)
    elseif not same_type(input, m.type) then
        fail("%s: input is %s but the monoid's type is %s; give map = function(x, i) .. end", kind, input.name, m.type.name)
    end
    local output = m.type
    if t.output then
        op.output_map, output = trace("output", t.output, { "s", "x", "i" }, kind == "scan" and { m.type, input, spec.u64 } or { m.type })
    end
    op.output = output.handle
    if t.init ~= nil then op.init = flatten(coerce(m.type, t.init, "init")) end
    op.line = c.line()
    return setmetatable(op, Operation)
end

function spec.scan(t)
    return new_operation("scan", t, { "monoid", "kind", "input", "map", "output", "init", "reverse", "name", "doc", "tune", "deterministic" })
end
function spec.reduce(t)
    return new_operation("reduce", t, { "monoid", "input", "map", "output", "init", "name", "doc", "tune", "deterministic" })
end
for _, name in ipairs { "sort", "compact", "partition", "unique", "run_length_encode", "reduce_by_key", "segmented_scan", "segmented_reduce",
    "segmented_sort", "histogram", "topk", "pipeline" } do
    spec[name] = function() fail("%s: not in this version, which has scan and reduce", name) end
end
function spec.source() fail("source: not in this version; write the function in the spec language") end
function spec.spec_version(v) if v ~= 1 then fail("spec_version(%s): this version reads 1", tostring(v)) end end

-- ---- the sandbox's standard library ----

local function shown(v)
    local kind = rawtype(v)
    if kind == "table" or kind == "userdata" then
        if is_node(v) or is_value(v) or is_type(v) then return tostring(v) end
        return kind
    end
    return kind == "function" and kind or tostring(v)
end

-- A bound on the steps of Lua's pattern matcher: it backtracks once for every quantifier.
local function guarded(find)
    return function(s, pattern, ...)
        local subject, quantifiers = tostring(s), select(2, gsub(tostring(pattern), "[%*%+%-%?]", ""))
        if (#subject + 1) ^ (quantifiers + 1) > 1e7 then fail("pattern '%s' may take too long on %d bytes", tostring(pattern):sub(1, 40), #subject) end
        return find(s, pattern, ...)
    end
end

local function library(from, names)
    local copy = {}
    for name in names:gmatch("%w+") do copy[name] = from[name] end
    return copy
end

spec.math = library(math, "abs ceil exp floor fmod huge log max maxinteger min mininteger modf pi random sin cos tan sqrt tointeger type ult")
spec.table = library(table, "concat insert pack remove sort unpack")
spec.utf8 = library(utf8, "char charpattern codepoint codes len offset")
string.dump = nil
for _, name in ipairs { "find", "match", "gmatch", "gsub" } do string[name] = guarded(string[name]) end
function string.rep(s, n, separator)
    if (#tostring(s) + #(separator or "")) * (math.tointeger(n) or 0) > 1 << 20 then fail("string.rep: more than 1 MiB") end
    return rep(s, n, separator)
end
function string.format(text, ...)
    local arguments = table.pack(...)
    if find(gsub(tostring(text), "%%%%", ""), "%%%-?%d*p") then fail("string.format: %%p shows an address") end
    for i = 1, arguments.n do
        local kind = rawtype(arguments[i])
        if kind ~= "number" and kind ~= "string" and kind ~= "nil" and kind ~= "boolean" then arguments[i] = shown(arguments[i]) end
    end
    return format(text, table.unpack(arguments, 1, arguments.n))
end
spec.string = string

function spec.pairs(t)
    if rawtype(t) ~= "table" or is_value(t) then fail("pairs: expected a table, not %s", describe(t)) end
    local keys, i = sorted_keys(t), 0
    return function()
        i = i + 1
        if keys[i] ~= nil then return keys[i], t[keys[i]] end
    end
end
function spec.next(t, key)
    local keys = sorted_keys(t)
    if key == nil then return keys[1], t[keys[1]] end
    for i, k in ipairs(keys) do if k == key then return keys[i + 1], keys[i + 1] ~= nil and t[keys[i + 1]] or nil end end
end
function spec.setmetatable(t, meta)
    if meta and (rawget(meta, "__len") or rawget(meta, "__gc")) then fail("setmetatable: __len and __gc are not in a spec's reach") end
    return setmetatable(t, meta)
end
spec.tostring, spec.ipairs, spec.select, spec.tonumber, spec.type, spec.error, spec.assert = shown, ipairs, select, tonumber, type, error, assert
spec.pcall, spec.rawget, spec.rawset, spec.rawequal, spec.rawlen, spec.getmetatable = pcall, rawget, rawset, rawequal, rawlen, getmetatable
spec._VERSION = _VERSION
spec._G = spec

return spec
