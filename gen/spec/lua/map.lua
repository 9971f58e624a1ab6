-- map.lua - map: each output element is made of the input element in its place.

return function(v)
    local fail = v.fail

    v.new_kind("map", { "input", "output" }, function(op, t)
        if t.input == nil then fail("map: input is missing; give the type of its elements, as in input = f32") end
        if t.output == nil then fail("map: output is missing; give output = function(x, i) .. end") end
        local input = v.stored_type(t.input, "map: input")
        local handle, result = v.trace("output", t.output, { "x", "i" }, { input, v.scalars.u64 })
        op.map, op.input, op.output = handle, input.handle, result.handle
    end)
end
