-- map.lua - map: each output element is made of the input elements in its place.

return function(v)
    local fail = v.fail

    v.new_kind("map", { "input", "inputs", "output", "outputs" }, function(op, t)
        local input = v.read_inputs("map", op, t)
        if not input then fail("map: input is missing; give the type of its elements, as in input = f32") end
        local outputs = v.list_outputs("map", t)
        if not outputs then fail("map: output is missing; give output = function(x, i) .. end") end
        if v.any_packed(outputs) then return v.sweep(op, "map", { input = input, outputs = outputs }) end
        local types, result = v.element_types(input, v.most_parameters(outputs, 0))
        if v.any_scattered(outputs) then op.map, result = v.scattered_outputs(op, { outputs = outputs }, types)
        elseif t.outputs then op.map, result = v.record_outputs("map", op, outputs, v.ELEMENT, types)
        else op.map, result = v.trace("output", t.output, v.ELEMENT, types) end
        v.check_buffers("map", op, input, result)
        op.input, op.output = input.handle, result.handle
    end)
end
