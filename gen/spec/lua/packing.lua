-- packing.lua - compact, partition, unique: what is kept of the input, in order.

return function(v)
    local fail = v.fail

    local function input_of(kind, op, t)
        local input = v.read_inputs(kind, op, t)
        if not input then fail("%s: input is missing; give the type of its elements, as in input = u32", kind) end
        return input
    end

    local function function_of(kind, t, name, parameters)
        if t[name] == nil then fail("%s: %s is missing; give %s = function(%s) .. end", kind, name, name, parameters) end
        return t[name]
    end

    -- The entries of outputs, or the elements themselves as `name`; all kept by `keep`.
    local function kept_outputs(kind, t, keep, count)
        local outputs = v.list_outputs(kind, t) or { { name = "out", value = function(x) return x end } }
        for _, output in ipairs(outputs) do
            if output.keep ~= nil then fail("%s: '%s' has keep; %s says what is kept", kind, output.name, kind) end
            if output.at ~= nil then
                fail("%s: '%s' has at; %s packs what it keeps: take map, whose outputs may have keep and at", kind, output.name, kind)
            end
            output.keep, output.count = keep, count
        end
        return outputs
    end

    v.new_kind("compact", { "input", "inputs", "keep", "output", "outputs" }, function(op, t)
        local input = input_of("compact", op, t)
        v.sweep(op, "compact", { input = input, outputs = kept_outputs("compact", t, function_of("compact", t, "keep", "x, i, near"), "count") })
    end)

    v.new_kind("partition", { "input", "inputs", "first" }, function(op, t, of_pipeline)
        local input, first = input_of("partition", op, t), function_of("partition", t, "first", "x, i, near")
        local same = (t.in_records or function(fn) return fn end)(function(x) return x end)
        local rest = { name = "rest", value = same, keep = first, count = "count", rest = true }
        if of_pipeline.counts_rest then
            local function other(x, i, near) return v.lnot(first(x, i, near)) end
            rest.keep, rest.count, rest.rest = v.taking(v.parameters_of(first), other), "rest_count", nil
        end
        v.sweep(op, "partition", { input = input, outputs = { { name = "out", value = same, keep = first, count = "count" }, rest } })
    end)

    v.new_kind("unique", { "input", "inputs", "equal", "output", "outputs" }, function(op, t)
        local input = input_of("unique", op, t)
        local equal = v.equal_of("unique", t, t.record or input)
        local function is_head(x, _, near) return v.lor(near.first, v.lnot(equal(near.before, x))) end
        if t.in_records then is_head = t.in_records(is_head) end
        v.sweep(op, "unique", { input = input, outputs = kept_outputs("unique", t, is_head, "count") })
    end)
end
