-- operations.lua - scan, reduce, sort, and what a spec returns.

local rawtype = type

return function(v)
    local c, spec, fail, describe = v.c, v.spec, v.fail, v.describe
    local Operation = v.new_class "operation"

    local MAX_OPERATIONS = 256

    -- { { name, text }, .. }, sorted
    local function tuning(kind, tune)
        v.check_keys("tune", tune, v.c.knobs)
        local list = {}
        for _, key in ipairs(v.sorted_keys(tune)) do
            local value = tune[key]
            local plain = rawtype(value)
            if plain ~= "number" and plain ~= "string" and plain ~= "boolean" then
                fail("%s: tune: %s is %s; give a number or a text", kind, key, describe(value))
            end
            list[#list + 1] = { key, tostring(value) }
        end
        return list
    end

    -- What every operation has.
    local function new_record(kind, t, known)
        v.check_keys(kind, t, known)
        local op = { kind = kind, name = t.name, doc = t.doc, tune = tuning(kind, t.tune == nil and {} or t.tune), line = c.line(),
            deterministic = v.flag(t, "deterministic") }
        if op.name ~= nil then v.check_identifier(kind, op.name) end
        if op.doc ~= nil and rawtype(op.doc) ~= "string" then fail("%s: doc is a text, not %s; write doc = \"..\"", kind, describe(op.doc)) end
        return op
    end

    local function new_fold(kind, t, known)
        local op = new_record(kind, t, known)
        local m = v.monoid_of(t.monoid)
        if not m then fail("%s: monoid is %s; give one, as in monoid = sum(u32)", kind, t.monoid == nil and "missing" or describe(t.monoid)) end
        op.monoid, op.reverse = m.handle, v.flag(t, "reverse")
        local direction = t.kind
        if direction ~= nil and direction ~= "inclusive" and direction ~= "exclusive" then
            fail("scan: kind is \"inclusive\" or \"exclusive\"; or leave it out")
        end
        op.exclusive = direction == "exclusive"
        local input, map, output, init = m.type, t.map, t.output, t.init
        if t.input ~= nil then input = v.stored_type(t.input, kind .. ": input") end
        op.input, op.output = input.handle, m.type.handle
        if map ~= nil then
            op.map = v.trace("map", map, { "x", "i" }, { input, v.scalars.u64 }, m.type)
        elseif not v.same_type(input, m.type) then
            fail("%s: input is %s but the monoid's type is %s; give map = function(x, i) .. end", kind, input.name, m.type.name)
        end
        if output ~= nil then
            local result
            op.output_map, result = v.trace("output", output, { "s", "x", "i" }, kind == "scan" and { m.type, input, v.scalars.u64 } or { m.type })
            op.output = result.handle
        end
        if init ~= nil then op.init = v.flatten(v.coerce(m.type, init, "init")) end
        return v.new_object(Operation, op)
    end

    function spec.scan(t)
        return new_fold("scan", t, { "monoid", "kind", "input", "map", "output", "init", "reverse", "name", "doc", "tune", "deterministic" })
    end
    function spec.reduce(t)
        return new_fold("reduce", t, { "monoid", "input", "map", "output", "init", "name", "doc", "tune", "deterministic" })
    end

    -- The type of a sort's values, nil for none; and whether they are indices, which nobody gives.
    local function value_type(t)
        if t.value ~= "index" then
            if t.index ~= nil then fail("sort: index is the type of value = \"index\"; give that too, or leave it out") end
            if rawtype(t.value) == "string" then fail("sort: value is \"%s\"; give a type or \"index\", or leave it out", t.value:sub(1, 32)) end
            return t.value ~= nil and v.stored_type(t.value, "sort: value") or nil, false
        end
        local I = t.index == nil and v.scalars.u32 or v.stored_type(t.index, "sort: index")
        if I ~= v.scalars.u32 and I ~= v.scalars.u64 then fail("sort: an index is u32 or u64, not %s; write index = u64", I.name) end
        return I, true
    end

    function spec.sort(t)
        local op = new_record("sort", t, { "key", "value", "index", "order", "input", "map", "name", "doc", "tune", "deterministic" })
        local key, value = v.key_of(t.key)
        op.input, op.output = key.type.handle, key.type.handle
        op.descending = v.descends(t.order, "sort")
        op.key_image, op.key_bits = v.key_image(key, op.descending)
        op.descending = op.descending ~= (key.fields[1].descending or false) -- of a struct: its most significant field's
        value, op.gives_index = value_type(t)
        op.value = value and value.handle
        if t.map ~= nil then
            local input = t.input == nil and key.type or v.stored_type(t.input, "sort: input")
            op.input, op.map = input.handle, v.trace("map", t.map, { "x", "i" }, { input, v.scalars.u64 }, key.type)
        elseif t.input ~= nil then
            fail("sort: input without map; give map = function(x, i) .. end, which makes the key, or leave input out")
        end
        return v.new_object(Operation, op)
    end

    for _, name in ipairs { "compact", "partition", "unique", "run_length_encode", "reduce_by_key", "segmented_scan", "segmented_reduce",
        "segmented_sort", "histogram", "topk", "pipeline" } do
        spec[name] = function() fail("%s: not in this version; it has scan, reduce and sort", name) end
    end
    function spec.spec_version(version)
        if version ~= 1 then
            fail("spec_version(%s): this version reads 1; take a newer monosweep", rawtype(version) == "number" and version or describe(version))
        end
    end

    -- The records of the operations that the spec returned, the first of so many values; base_name: what an operation without a name is called.
    function v.finish(value, base_name, value_count)
        local list, names = {}, {}
        if value_count > 1 then fail("the spec returns %d values; return a list of operations, as in return { .. }", value_count) end
        if v.record_of(value, Operation) then value = { value } end
        local count = rawtype(value) == "table" and not v.record_of(value) and rawlen(value) or 0
        if count == 0 then fail("the spec returns %s; return an operation, as in return scan { monoid = sum(u32) }", describe(value)) end
        if count > MAX_OPERATIONS then fail("the spec returns %d operations; return at most %d", count, MAX_OPERATIONS) end
        for i = 1, count do
            local op = v.record_of(rawget(value, i), Operation)
            if not op then
                fail("entry %d of the returned list is %s; list operations, made by scan, reduce or sort", i, describe(rawget(value, i)))
            end
            local name = op.name or base_name
            if names[name] then fail("two operations are called '%s'; give each a name = \"..\" of its own", name) end
            list[i], names[name] = op, true
        end
        for _, key in ipairs(v.sorted_keys(value)) do
            if math.type(key) ~= "integer" or key < 1 or key > count then
                fail("the returned list has an entry '%s' beside 1 to %d; list the operations without gaps or names", tostring(key), count)
            end
        end
        return list
    end
end
