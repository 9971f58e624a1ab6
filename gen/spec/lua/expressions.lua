-- expressions.lua - operators and functions on values.
--
-- A scalar is a node of the graph while a function is traced, and a Lua number or boolean in a plain run on samples (gen/spec/lua/functions.lua;
-- v.is_plain), where an operation computes with Lua's own arithmetic: gen/spec/lua/plain.lua. A trace can be compared with such a run: then
-- v.shadows has,
-- by node, the number that the plain run would have in its place. Literals are Lua numbers everywhere.

local rawtype = type

return function(v)
    local c, spec, fail, record_of, describe = v.c, v.spec, v.fail, v.record_of, v.describe
    local is_node, node_type = c.is_node, c.node_type
    local Value = v.Value
    local plain = v.file "gen/spec/lua/plain.lua"

    -- ---- scalars ----

    -- What a run on samples computes with: the number in a scalar of any kind; nil when it is none.
    local function number_of(x)
        local kind = rawtype(x)
        if kind == "number" or kind == "boolean" then return x end
        if not is_node(x) then return nil end
        local number = v.shadows and v.shadows[x]
        if number == nil then number = c.number(x) end
        return number
    end
    v.number_of = number_of

    -- The node, which stands for that number in a plain run.
    local function shadowed(node, number)
        if v.shadows then v.shadows[node] = number end
        return node
    end
    v.shadowed = shadowed

    -- "the second operand" where there are several.
    local ORDINALS = { "the first", "the second", "the third" }

    local function refuse_operand(op, x, place)
        if x == nil then fail("%s: %s operand is %s; %s", op, ORDINALS[place] or "an", v.describe_nothing()) end
        if v.is_array(x) then
            v.refuse_results(op, x)
            fail("%s: an operand is %s, not an element of it; list it, as in p.map({ x, y }, function(x, y) .. end), and compute with the elements",
                op, describe(x))
        end
        fail("%s: an operand is %s, not a scalar expression; %s", op, describe(x), rawtype(x) == "boolean"
            and "comparisons are written lt, le, gt, ge, eq, ne, and and, or, not as land, lor, lnot"
            or "name a value's field, or give the operand a value")
    end

    -- # does not count operands that are nil at the end.
    local function check_nothing(op, arguments)
        for i = 1, c.arity(op) do if arguments[i] == nil then refuse_operand(op, nil, i) end end
    end

    local function plain_op(op, arguments)
        local numbers = {}
        for i = 1, #arguments do
            numbers[i] = number_of(arguments[i])
            if numbers[i] == nil then refuse_operand(op, arguments[i], i) end
        end
        return plain[op](table.unpack(numbers))
    end

    -- Applies an operation to scalars; literals take the type of the first node from `first` on.
    local function scalar_op(op, arguments, first)
        if v.is_plain then return plain_op(op, arguments) end
        local number, scalar
        if v.shadows then number = plain_op(op, arguments) end
        for i = first or 1, #arguments do scalar = scalar or (is_node(arguments[i]) and node_type(arguments[i])) end
        for i = 1, #arguments do
            local a = arguments[i]
            if rawtype(a) == "number" and scalar and i >= (first or 1) then
                arguments[i] = c.const(scalar, a, op)
            elseif rawtype(a) == "number" and i >= (first or 1) then
                fail("%s: give one value a type, as in u32(%s); a literal has none", op, tostring(a))
            elseif not is_node(a) then
                refuse_operand(op, a)
            end
        end
        return shadowed(c.op(op, table.unpack(arguments)), number)
    end

    function v.coerce_scalar(T, x, where)
        if v.is_plain then
            local number = number_of(x)
            if number ~= nil then return number end
        elseif is_node(x) then
            if node_type(x) ~= T.scalar then fail("%s is %s, expected %s; convert it, as in %s(x)", where, node_type(x), T.name, T.name) end
            return x
        elseif rawtype(x) == "number" and T.scalar ~= "bool" then
            return shadowed(c.const(T.scalar, x, where, v.is_sampling and T.scalar == "u64" and math.type(x) == "integer"), x)
        end
        if rawtype(x) == "boolean" and T.scalar == "bool" then
            fail("%s is Lua's %s; return a condition of values, as in gt(x, 0); a branch on one is where(c, a, b)", where, tostring(x))
        end
        if x == nil then
            local nothing, advice = v.describe_nothing()
            fail("%s is %s, expected %s; %s", where, nothing, T.name, advice)
        end
        fail("%s is %s, expected %s; give it one", where, describe(x), T.name)
    end

    -- T(x)
    function v.convert(T, x)
        local number
        if v.is_plain or v.shadows then
            number = number_of(x)
            if number ~= nil then number = plain.convert(T.scalar, number) end
        end
        if v.is_plain and number ~= nil then return number end
        if is_node(x) then return shadowed(c.convert(T.scalar, x), number) end
        return shadowed(v.coerce_scalar(T, x, T.name), number)
    end

    function spec.bitcast(type, x)
        local T = v.stored_type(type, "bitcast")
        if T.kind ~= "scalar" or not (is_node(x) or v.is_plain) then
            fail("bitcast(T, x): %s to %s; give a scalar type and a scalar expression of the same size", describe(x), T.name)
        end
        local number
        if v.is_plain or v.shadows then number = plain.bitcast(T.scalar, number_of(x)) end
        if v.is_plain then return number end
        return shadowed(c.bitcast(T.scalar, x), number)
    end

    -- ---- values ----

    local function vec_of(x)
        local record = record_of(x, Value)
        return record and record.type.kind == "vec" and record
    end

    -- The vec type among the arguments; the lists from `first` on become values of the first vec's type there.
    local function common_vec(op, arguments, first)
        local T, U
        for i = 1, #arguments do
            local vec = vec_of(arguments[i])
            if vec then
                if T and vec.type.length ~= T.length then
                    fail("%s: %s and %s have different lengths; take the components that you mean", op, T.name, vec.type.name)
                end
                T = T or vec.type
                if i >= first then U = U or vec.type end
            elseif record_of(arguments[i], Value) then
                local U = record_of(arguments[i], Value).type
                if U.is_of_inputs then
                    fail("%s: an operand is the record of all inputs, which functions take as one parameter; name one, as e.%s in function(e)", op,
                        U.fields[1].name)
                end
                fail("%s: %s is a struct; name one of its fields", op, describe(arguments[i]))
            end
        end
        for i = first, U and #arguments or 0 do
            if rawtype(arguments[i]) == "table" and not record_of(arguments[i]) then arguments[i] = v.coerce(U, arguments[i], op) end
        end
        return T
    end

    local function elementwise(op, arguments, first)
        check_nothing(op, arguments)
        local T = common_vec(op, arguments, first or 1)
        if not T then return scalar_op(op, arguments, first) end
        local parts = {}
        for k = 1, T.length do
            local row = {}
            for i = 1, #arguments do
                local vec = vec_of(arguments[i])
                if vec then row[i] = vec[k] else row[i] = arguments[i] end
            end
            parts[k] = scalar_op(op, row, first)
        end
        local element = is_node(parts[1]) and v.type_of(parts[1]) or T.element
        return v.new_value(element.scalar == "bool" and v.bool_vec(T.length) or v.vec(element, T.length), parts)
    end

    -- The type of conditions on vecs: it has components and cannot be stored.
    local bool_vecs = {}
    function v.bool_vec(n)
        if not bool_vecs[n] then
            bool_vecs[n] = { kind = "vec", name = ("vec(bool, %d)"):format(n), element = v.scalars.bool, length = n, scalar = "bool", leaves = n,
                depth = 1 }
        end
        return bool_vecs[n]
    end

    -- ---- operators ----

    local metatables = { c.node_metatable, Value }

    local function define(event, apply)
        for _, metatable in ipairs(metatables) do metatable[event] = apply end
    end

    local OPERATORS = {
        __add = "add", __sub = "sub", __mul = "mul", __div = "div", __idiv = "floordiv", __mod = "mod", __band = "and", __bor = "or", __bxor = "xor",
        __shl = "shl", __shr = "shr",
    }
    for event, op in c.next, OPERATORS do define(event, function(a, b) return elementwise(op, { a, b }) end) end
    for event, op in c.next, { __unm = "neg", __bnot = "not" } do define(event, function(a) return elementwise(op, { a }) end) end
    for event, words in c.next, { __lt = { "<", "lt", ">", "gt" }, __le = { "<=", "le", ">=", "ge" }, __eq = { "==", "eq", "~=", "ne" } } do
        define(event, function() fail("'a %s b' cannot be traced; write %s(a, b), and for '%s' %s(a, b)", table.unpack(words)) end)
    end
    define("__pow", function() fail("'a ^ b' is not in the language; for a power multiply, or write exp2(b * log2(a)), for exclusive or a ~ b") end)
    define("__concat", function() fail("an expression has no text; use it in arithmetic only") end)
    define("__call", function() fail("an expression cannot be called; is an operator missing?") end)
    local OF_NEAR = { before = true, after = true, first = true, last = true, head = true, tail = true, segment = true }
    -- An element that is indexed as if it were its array, and what else has no index.
    function v.refuse_index(what)
        fail("%s is not indexed; a function sees its own element, and near.before and near.after as function(x, i, near); "
            .. "index constants by table_of(T, { .. }); send elements to places by an output with at = f", what)
    end
    function c.node_metatable.__index(x, key)
        if is_node(key) or record_of(key) or rawtype(key) == "number" then v.refuse_index(describe(x)) end
        fail(OF_NEAR[key] and "%s has no field '%s'; near has: it is the last parameter, as in function(x, i, near), or (s, x, i, near) of outputs"
            or "%s has no field '%s'; it is a scalar", describe(x), tostring(key))
    end
    function c.node_metatable.__newindex(x, key) fail("%s has no field '%s' to set; build a new value", describe(x), tostring(key)) end
    function c.node_metatable.__len(x) fail("%s has no length; it is a scalar", describe(x)) end
    function c.node_metatable.__tostring(node) return node_type(node) .. " expression" end

    -- ---- functions ----

    local function is_expression(x) return is_node(x) or record_of(x, Value) ~= nil end

    -- literal: what it does with numbers alone, but in a plain run; nil: they need a type.
    local function operation(op, literal, first)
        return function(...)
            local arguments = table.pack(...)
            if arguments.n ~= c.arity(op) then fail("%s takes %d values, not %d; give them all", op, c.arity(op), arguments.n) end
            local any = v.is_plain
            for i = 1, arguments.n do any = any or is_expression(arguments[i]) end
            if any then return elementwise(op, arguments, first) end
            for i = 1, arguments.n do
                if rawtype(arguments[i]) ~= "number" and rawtype(arguments[i]) ~= "boolean" then refuse_operand(op, arguments[i], i) end
            end
            if not literal then fail("%s: give one value a type, as in u32(1); a literal has none", op) end
            return literal(...)
        end
    end

    for _, op in ipairs { "lt", "le", "gt", "ge", "eq", "ne", "land", "lor", "lnot", "min", "max", "abs", "fma", "sqrt", "exp", "log", "sin", "cos",
        "floor", "ceil", "isnan" } do
        spec[op] = operation(op, plain[op])
    end
    for _, op in ipairs { "mulhi", "popcount", "clz", "ctz", "bitreverse", "rotl", "rotr", "trunc", "round", "rsqrt", "tanh", "exp2", "log2" } do
        spec[op] = operation(op)
    end
    v.min, v.max, v.lt, v.gt, v.le, v.ge, v.eq, v.ne = spec.min, spec.max, spec.lt, spec.gt, spec.le, spec.ge, spec.eq, spec.ne
    v.land, v.lor, v.lnot = spec.land, spec.lor, spec.lnot

    function spec.clamp(...)
        local count = select("#", ...)
        if count ~= 3 then fail("clamp takes 3 values, not %d; give x, the least and the greatest", count) end
        local x, least, greatest = ...
        return v.min(v.max(x, least), greatest)
    end

    local choose = operation("where", plain.where, 2)

    -- The struct or vec type that one of two has.
    local function value_type(a, b)
        local record = record_of(a, Value) or record_of(b, Value)
        return record and record.type
    end

    function v.where(...)
        local condition, a, b = ...
        local T = select("#", ...) == 3 and value_type(a, b)
        if not T or vec_of(condition) then return choose(...) end
        if T.scalar == "bool" and T.kind == "vec" then return choose(...) end
        local left, right, k = v.flatten(v.coerce(T, a, "where")), v.flatten(v.coerce(T, b, "where")), 0
        return v.unflatten(T, function()
            k = k + 1
            return scalar_op("where", { condition, left[k], right[k] }, 2)
        end)
    end
    spec.where = v.where
end
