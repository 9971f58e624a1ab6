-- fold.lua - scan, reduce.

return function(v)
    local fail, describe = v.fail, v.describe

    local function check_input(kind, input, map, m)
        if map ~= nil or v.same_type(input, m.type) then return end
        local names = {}
        for i, field in ipairs(m.type.kind == "struct" and m.type.fields or {}) do names[i] = field.name .. " = .." end
        local element = #names > 0 and ("m.type { %s } end, where m is the monoid"):format(table.concat(names, ", ")) or m.type.name .. "(..) end"
        if input.is_of_inputs then
            fail("%s: there are several inputs, but the monoid's type is %s; give map = function(e) return %s, of e.%s and so on", kind, m.type.name,
                element, input.fields[1].name)
        end
        fail("%s: input is %s but the monoid's type is %s; give map = function(x, i) return %s", kind, input.name, m.type.name, element)
    end

    -- taken: the type of the input, where op knows its arrays already, as of words that are scans. of_all: its results are of all elements together.
    -- second: functions (s[, x[, i]]) -> a state of second scans alone, and (a, b) -> a with these of b (join.lua).
    local function fill(kind, op, t, taken, of_all, second)
        local m = v.monoid_of(t.monoid)
        if not m then fail("%s: monoid is %s; give one, as in monoid = sum(u32)", kind, t.monoid == nil and "missing" or describe(t.monoid)) end
        local direction = t.kind
        if direction ~= nil and direction ~= "inclusive" and direction ~= "exclusive" then
            fail("%s: kind is \"inclusive\" or \"exclusive\"; or leave it out", kind)
        end
        local input = taken or v.read_inputs(kind, op, t) or m.type
        local outputs, reverse, exclusive = v.list_outputs(kind, t) or {}, v.flag(t, "reverse"), direction == "exclusive"
        if op.has_input_fields and t.map == nil then check_input(kind, input, nil, m) end
        for _, output in ipairs(of_all and outputs or {}) do
            local word = output.keep ~= nil and "keep" or output.at ~= nil and "at"
            if word then fail("%s: an output has %s, but all are of one element; leave it out, or take scan", kind, word) end
        end
        if v.any_packed(outputs) then
            check_input(kind, input, t.map, m)
            return v.sweep(op, kind, { input = input, monoid = m, map = t.map, init = t.init, reverse = reverse, exclusive = exclusive,
                outputs = outputs })
        end
        op.monoid, op.reverse, op.exclusive = m.handle, reverse, exclusive
        local types, result = v.element_types(input, math.max(v.parameters_of(t.map), v.most_parameters(outputs, 1))), m.type
        if t.map ~= nil then op.map = v.trace("map", t.map, v.ELEMENT, types, m.type) else check_input(kind, input, nil, m) end
        local names, with_state = { "s", "x", "i", "near" }, of_all and { m.type } or { m.type, table.unpack(types) }
        if v.any_scattered(outputs) then op.output_map, result = v.scattered_outputs(op, { monoid = m, outputs = outputs }, types)
        elseif t.outputs then op.output_map, result = v.record_outputs(kind, op, outputs, names, with_state)
        elseif t.output ~= nil then op.output_map, result = v.trace("output", t.output, names, with_state) end
        if t.init ~= nil then op.init = v.flatten(v.coerce(m.type, v.known("init", t.init), "init")) end
        if second then
            op.kind, op.word = "sweep", kind -- it has no carry
            op.recount = v.trace("recount_item", second.recount, names, with_state, m.type, true)
            op.merged = v.trace("merged", second.merged, { "a", "b" }, { m.type, m.type }, m.type, true)
        end
        v.check_buffers(kind, op, input, result)
        op.input, op.output = input.handle, result.handle
    end

    v.fill_fold = fill
    v.new_kind("scan", { "monoid", "kind", "input", "inputs", "map", "output", "outputs", "init", "reverse" },
        function(op, t, of_pipeline) fill("scan", op, t, nil, nil, of_pipeline.second) end)
    v.new_kind("reduce", { "monoid", "input", "inputs", "map", "output", "outputs", "init" }, function(op, t) fill("reduce", op, t, nil, true) end)
end
