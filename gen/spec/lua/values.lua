-- values.lua - types, and values of structs and vecs.
--
-- A type's record: { kind = "scalar" | "vec" | "struct", name, handle, leaves, depth, scalar (scalar, vec), element, length (vec),
-- fields = { { name, type }, .. }, index = { name = place } (struct) }. A value's record: { type = T, [1] = part, .. }; a part is a value or a
-- scalar: a node, or what a plain run has in its place (gen/spec/lua/expressions.lua).

local rawtype = type

return function(v)
    local c, spec, fail, new_object, record_of, describe = v.c, v.spec, v.fail, v.new_object, v.record_of, v.describe
    local Type, Value = v.new_class "type", v.new_class "value"
    v.Type, v.Value = Type, Value

    local MAX_DEPTH, MAX_FIELDS = 16, 128

    -- ---- types ----

    local by_handle = {}
    function v.type_of_handle(handle) return by_handle[handle] end -- of what Lua has made

    local function new_type(T)
        new_object(Type, T)
        by_handle[T.handle] = by_handle[T.handle] or T
        return T
    end

    v.scalars = {} -- by name
    for _, name in ipairs { "bool", "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "f32", "f64" } do
        v.scalars[name] = new_type { kind = "scalar", name = name, scalar = name, handle = c.scalar_type(name), leaves = 1, depth = 0 }
        spec[name] = v.scalars[name].object
    end

    function v.is_float(T) return T.scalar:sub(1, 1) == "f" end

    -- The type of an expression or a value, else nil.
    function v.type_of(x)
        if c.is_node(x) then return v.scalars[c.node_type(x)] end
        local record = record_of(x, Value)
        return record and record.type
    end

    -- The type x, one that can be stored.
    function v.stored_type(x, where)
        local T = record_of(x, Type)
        local word = v.is_array(x) and where:match("^[%w_]+")
        if word and v.is_operation_word(word) then
            fail("%s: %s is of a pipeline; write p.%s { .. }, with p. before the word", where, v.describe(x), word)
        end
        if not T then fail("%s: expected a type, not %s; name one, as u32 or a struct", where, v.describe(x)) end
        if T.scalar == "bool" then fail("%s: bool has no place in memory; use u8 or u32", where) end
        return T
    end

    local vecs = {}
    function v.vec(T, n)
        local handle = c.vec_type(T.handle, n) -- refuses what is no vec
        local key = T.name .. ":" .. math.tointeger(n)
        if not vecs[key] then
            local length = math.tointeger(n)
            vecs[key] = new_type { kind = "vec", name = ("vec(%s, %d)"):format(T.name, length), element = T, length = length, handle = handle,
                scalar = T.scalar, leaves = length, depth = 1 }
        end
        return vecs[key]
    end
    function spec.vec(T, n) return v.vec(v.stored_type(T, "vec"), n).object end

    function v.structure(name, list)
        if rawtype(list) ~= "table" or record_of(list) then
            fail("struct \"%s\": expected a list of fields; write { {\"field\", type}, .. }", name)
        end
        if rawlen(list) == 0 and c.next(list) ~= nil then
            fail("struct \"%s\": its fields are named by keys, which have no order in memory; write struct \"%s\" { { \"a\", f32 }, { \"b\", f32 } }",
                name, name)
        end
        if rawlen(list) > MAX_FIELDS then
            fail("struct \"%s\": %d fields are larger than 128 bytes, the most an element can have; split it", name, rawlen(list))
        end
        local T = { kind = "struct", name = name, fields = {}, index = {}, leaves = 0, depth = 0 }
        local handles = {}
        for i = 1, rawlen(list) do
            local field = list[i]
            local field_name = rawtype(field) == "table" and not record_of(field) and field[1]
            if rawtype(field_name) ~= "string" then fail("struct \"%s\": field %d is not {\"name\", type}; write it so", name, i) end
            local U = v.stored_type(field[2], ("struct \"%s\": field '%s'"):format(name, field_name))
            T.fields[i] = { name = field_name, type = U }
            T.index[field_name] = i
            T.leaves = T.leaves + U.leaves
            T.depth = math.max(T.depth, U.depth + 1)
            handles[i] = { field_name, U.handle }
        end
        if T.depth > MAX_DEPTH then fail("struct \"%s\": structs in structs more than %d deep; flatten them", name, MAX_DEPTH) end
        T.handle = c.struct_type(name, handles)
        return new_type(T)
    end

    -- What an element is where all inputs are generated: there is nothing in memory.
    v.nothing = new_type { kind = "struct", name = "nothing", fields = {}, index = {}, leaves = 0, depth = 0, handle = c.nothing_type() }

    function spec.struct(name)
        if rawtype(name) ~= "string" then fail("struct: expected a name; write struct \"Affine\" { {\"a\", f32}, {\"b\", f32} }") end
        return function(list) return v.structure(name, list).object end
    end

    function v.same_type(T, U) return T == U or (T.handle ~= nil and U.handle ~= nil and c.same_type(T.handle, U.handle)) end

    -- ---- values ----

    local function new_value(T, parts)
        parts.type = T
        return new_object(Value, parts)
    end
    v.new_value = new_value

    -- The types of a struct's or vec's parts.
    function v.part_count(T) return T.kind == "vec" and T.length or #T.fields end
    function v.part_type(T, i) return T.kind == "vec" and T.element or T.fields[i].type end

    local coerce

    local function from_table(T, x, where)
        local parts = {}
        if T.kind == "vec" then
            if #x ~= T.length then fail("%s: %d components; %s has %d", where, #x, T.name, T.length) end
            for i = 1, T.length do parts[i] = coerce(T.element, x[i], ("%s: component %d"):format(where, i)) end
            return new_value(T, parts)
        end
        for i, field in ipairs(T.fields) do
            local part = x[field.name]
            if part == nil then part = x[i] end
            if part == nil then fail("%s: field '%s' of %s is missing; give it a value", where, field.name, T.name) end
            parts[i] = coerce(field.type, part, ("%s: field '%s'"):format(where, field.name))
        end
        for key in c.next, x do
            if not T.index[key] and not (math.type(key) == "integer" and T.fields[key]) then
                fail("%s: %s has no field '%s'; it has %s", where, T.name, tostring(key), v.field_names(T))
            end
        end
        return new_value(T, parts)
    end

    -- x as a value of type T; where: for messages.
    function coerce(T, x, where)
        if T.kind == "scalar" then return v.coerce_scalar(T, x, where) end
        local record = record_of(x, Value)
        if record and v.same_type(record.type, T) then return x end
        if record or rawtype(x) ~= "table" or record_of(x) then
            fail("%s is %s, expected %s; build one, as in %s(..)", where, describe(x), T.name, T.name)
        end
        return from_table(T, x, where)
    end
    v.coerce = coerce

    function v.field_names(T)
        local names = {}
        for i, field in ipairs(T.fields) do names[i] = "'" .. field.name .. "'" end
        return table.concat(names, ", ")
    end

    function Type.__call(object, first, ...)
        local T = record_of(object, Type)
        local count = select("#", ...)
        if T.kind == "scalar" then
            if count > 0 then fail("%s(x) takes one value, not %d; write one", T.name, count + 1) end
            return v.convert(T, first)
        end
        local record = record_of(first, Value)
        if count == 0 and record and T.kind == "vec" and record.type.kind == "vec" and record.type.length == T.length then
            local parts = {}
            for i = 1, T.length do parts[i] = v.convert(T.element, record[i]) end
            return new_value(T, parts)
        end
        if count == 0 and rawtype(first) == "table" then
            local single = T.kind == "struct" and #T.fields == 1 and record_of(first) and not (record and v.same_type(record.type, T))
            if not single then return coerce(T, first, T.name) end
        end
        if count + 1 ~= v.part_count(T) then fail("%s takes %d values, not %d; give them all", T.name, v.part_count(T), count + 1) end
        return from_table(T, { first, ... }, T.name)
    end

    local LIMITS = {
        u8 = { 0, 255 }, i8 = { -128, 127 }, u16 = { 0, 65535 }, i16 = { -32768, 32767 }, u32 = { 0, 4294967295 }, i32 = { -2147483648, 2147483647 },
        u64 = { 0, -1 }, i64 = { math.mininteger, math.maxinteger }, f16 = { -65504.0, 65504.0, 2.0 ^ -10 },
        f32 = { -(2.0 - 2.0 ^ -23) * 2.0 ^ 127, (2.0 - 2.0 ^ -23) * 2.0 ^ 127, 2.0 ^ -23 },
        f64 = { -(2.0 - 2.0 ^ -52) * 2.0 ^ 1023, (2.0 - 2.0 ^ -52) * 2.0 ^ 1023, 2.0 ^ -52 },
    }
    v.LIMITS = LIMITS -- { least, greatest[, epsilon] }; u64's as Lua has them

    function Type.__index(object, key)
        local T = record_of(object, Type)
        local limits = T.kind == "scalar" and LIMITS[T.scalar]
        if T.kind == "struct" and T.index[key] then
            fail("%s.%s: %s is a type, and only its elements have fields, x.%s in a function of x; to sort by the field write "
                .. "key { type = %s, by = { {\"%s\"} } }", T.name, key, T.name, key, T.name, key)
        end
        if not limits then fail("%s has no '%s'; scalar types have limits, values have fields", T.name, tostring(key)) end
        local float = limits[3] ~= nil
        if key == "max" then return c.const(T.scalar, limits[2], "max", true) end
        if key == "min" and not float or key == "lowest" and float then return c.const(T.scalar, limits[1], key, true) end
        if float and key == "inf" then return c.const(T.scalar, math.huge, key) end
        if float and key == "epsilon" then return c.const(T.scalar, limits[3], key) end
        fail("%s has no '%s'; it has %s", T.name, tostring(key), float and "inf, lowest, max, epsilon" or "min, max")
    end
    function Type.__tostring(object) return record_of(object, Type).name end

    local COMPONENT = { x = 1, y = 2, z = 3, w = 4 }
    function Value.__index(object, key)
        local record = record_of(object, Value)
        local T = record.type
        local place
        if T.kind == "vec" then place = COMPONENT[key] or math.type(key) == "integer" and key
        else place = T.index[key] end
        local part = place and place ~= "type" and record[place]
        if part == nil or not place then
            if T.kind == "vec" and (v.type_of(key) or record_of(key)) then
                fail("%s: a component is chosen by a number; write v.x, or where(eq(i, 0), v.x, v.y)", T.name)
            end
            if v.type_of(key) then v.refuse_index(T.name) end
            fail("%s has no field '%s'; it has %s", T.name, tostring(key), T.kind == "vec" and ("xyzw"):sub(1, T.length):gsub(".", "%0 ")
                or v.field_names(T))
        end
        return part
    end
    function Value.__newindex(object) fail("a value of %s cannot be changed; build a new one", record_of(object, Value).type.name) end
    function Value.__tostring(object) return record_of(object, Value).type.name .. " expression" end
    function Value.__len(object)
        local T = record_of(object, Value).type
        if T.kind ~= "vec" then fail("a value of %s has no length; name its fields", T.name) end
        return T.length
    end

    -- The scalars of a value, in memory order.
    function v.flatten(x, into)
        into = into or {}
        local record = record_of(x, Value)
        if not record then
            into[#into + 1] = x
        else
            for i = 1, v.part_count(record.type) do v.flatten(record[i], into) end
        end
        return into
    end

    -- The value of type T whose scalars take(scalar type's record) returns, in memory order.
    function v.unflatten(T, take)
        if T.kind == "scalar" then return take(T) end
        local parts = {}
        for i = 1, v.part_count(T) do parts[i] = v.unflatten(v.part_type(T, i), take) end
        return new_value(T, parts)
    end
end
