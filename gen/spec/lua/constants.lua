-- constants.lua - table_of(T, { .. }): constants that an integer expression indexes, from 0.
--
-- The graph has a table of scalars for each leaf of T (gen/expr/expr.h), so t[e] is as many entries at one index. In a plain run
-- (gen/spec/lua/expressions.lua) an entry is the plain number.

local rawtype = type

return function(v)
    local c, spec, fail, record_of, describe = v.c, v.spec, v.fail, v.record_of, v.describe
    local Table = v.new_class "table"
    v.Table = Table

    -- What kernels call it: as the line does, `local NAME = table_of(..`.
    local function name_here()
        local name = v.match(v.text_of(c.line()):sub(1, 200), "([%a_][%w_]*)%s*=%s*table_of")
        return name and #name <= 64 and name or "constants"
    end

    -- Of each leaf of T { name = NAME_FIELD, scalar =, constants = {} }.
    local function columns_of(T, name, into)
        if T.kind == "scalar" then
            into[#into + 1] = { name = name, scalar = T.scalar, constants = {} }
            return into
        end
        for i = 1, v.part_count(T) do
            columns_of(v.part_type(T, i), name .. "_" .. (T.kind == "vec" and ("xyzw"):sub(i, i) or T.fields[i].name), into)
        end
        return into
    end

    function spec.table_of(type, list)
        local T = v.stored_type(type, "table_of")
        if c.epoch() ~= 0 then fail("table_of: a table cannot be made inside of a traced function; make it outside, before") end
        if rawtype(list) ~= "table" or record_of(list) then
            fail("table_of: expected a list of constants, not %s; write table_of(%s, { .. })", describe(list), T.name)
        end
        local count = rawlen(list)
        if count == 0 then fail("table_of: the list has no entries; give one or more") end
        local columns = columns_of(T, name_here(), {})
        for i = 1, count do
            local what = ("table_of: entry [%d], counted from 0"):format(i - 1)
            local leaves = v.flatten(v.coerce(T, v.known(what, list[i]), what))
            for leaf, column in ipairs(columns) do column.constants[i] = leaves[leaf] end
        end
        for key in c.next, list do
            if not math.tointeger(key) or key < 1 or key > count then
                fail("table_of: the list has something under '%s', beside its %d entries; leave it out", tostring(key), count)
            end
        end
        for _, column in ipairs(columns) do column.table = c.table(column.name, column.scalar, column.constants) end
        return v.new_object(Table, { type = T, name = ("%s[%d]"):format(T.name, count), count = count, columns = columns })
    end

    -- The place of the entry that a number means, from 1; a plain run's may be between two.
    local function place_of(record, number)
        local index = math.tointeger(number) or math.tointeger(number // 1) or -1
        return index >= 0 and index < record.count and index + 1 or record.count
    end

    function Table.__index(object, key)
        local record = record_of(object, Table)
        local is_node, number = c.is_node(key), nil
        if v.is_plain or v.shadows or not is_node then number = v.number_of(key) end
        if not is_node and rawtype(number) ~= "number" or not v.is_plain and not is_node and not math.tointeger(key) then
            fail("%s: the index is %s; give one integer, counted from 0", describe(object),
                (rawtype(key) == "string" or rawtype(key) == "number") and tostring(key) or describe(key))
        end
        local leaf, place = 0, number ~= nil and place_of(record, number)
        return v.unflatten(record.type, function()
            leaf = leaf + 1
            local column = record.columns[leaf]
            local constant = place and column.constants[place]
            if v.is_plain then return c.number(constant) end
            if not is_node then return constant end
            return v.shadowed(c.entry(column.table, key), constant and c.number(constant))
        end)
    end

    function Table.__len(object) return record_of(object, Table).count end
    function Table.__newindex() fail("a table_of's entries are constants; build a new one") end
    function Table.__tostring(object) return "table of " .. record_of(object, Table).name end
end
