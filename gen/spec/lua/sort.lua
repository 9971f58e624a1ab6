-- sort.lua - sort: what it orders by, and what it carries along.

local rawtype = type

return function(v)
    local fail = v.fail

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

    -- What maps of a pipeline make of the sorted keys and values where these are stored: { { name = name, value = function(key[, value], i) }, .. }.
    local function add_results(op, results, key, value)
        local names, types = { "key", "i" }, { key.type, v.scalars.u64 }
        if value then
            table.insert(names, 2, "value")
            table.insert(types, 2, value)
        end
        if #results == 1 then op.output_map = v.trace("output", results[1].value, names, types)
        else op.output_map = v.record_outputs("sort", op, results, names, types) end
        op.takes_value = value ~= nil and v.c.uses(op.output_map, 1)
    end

    v.new_kind("sort", { "key", "value", "index", "order", "input", "map" }, function(op, t, of_pipeline)
        local key, value = v.key_of(t.key)
        op.input, op.output = key.type.handle, key.type.handle
        local descending = v.descends(t.order, "sort")
        op.key_image, op.key_bits = v.key_image(key, descending)
        if t.value == nil then op.key_of_image = v.key_of_image(key, descending) end
        op.key_fields = {}
        for i, field in ipairs(key.fields) do
            op.key_fields[i] = { name = field.name, descending = (field.descending or false) ~= descending }
        end
        value, op.gives_index = value_type(t)
        op.value = value and value.handle
        if t.map ~= nil then
            local input = t.input == nil and key.type or v.stored_type(t.input, "sort: input")
            op.input, op.map = input.handle, v.trace("map", t.map, { "x", "i" }, { input, v.scalars.u64 }, key.type)
            if not of_pipeline.makes_keys then v.refuse_uniforms("map", op.map, t.map) end
        elseif t.input ~= nil then
            fail("sort: input without map; give map = function(x, i) .. end, which makes the key, or leave input out")
        end
        if of_pipeline.results then add_results(op, of_pipeline.results, key, value) end
        if rawtype(t.tune) == "table" and rawget(t.tune, "strategy") == "counting" and (not op.key_of_image or op.key_bits > 16) then
            fail("sort: counting sorts keys alone, which are scalars of 8 or 16 bits; leave strategy out")
        end
        local functions = {}
        if op.map then functions[1] = op.map end
        if op.output_map then functions[#functions + 1] = op.output_map end
        v.add_uniforms(op, functions)
    end)
end
