-- segments.lua - run_length_encode, reduce_by_key, segmented_scan, segmented_reduce: scans that begin anew at heads.

local rawtype = type

return function(v)
    local spec, fail, describe = v.spec, v.fail, v.describe
    local count_segments

    local function monoid_of(kind, t)
        local m = v.monoid_of(t.monoid)
        if not m then fail("%s: monoid is %s; give one, as in monoid = sum(u32)", kind, t.monoid == nil and "missing" or describe(t.monoid)) end
        return m
    end

    -- m with heads: { heads, value }, how many there are, of type C, and what the elements from the last one on come to; with `reverse`
    -- they are tails, and the value is of the elements up to the first. are_numbered: the last head has its number, from 1, in the place of how many.
    local function headed(m, C, name, reverse, are_numbered)
        local H = v.structure("Headed", { { "heads", C.object }, { "value", m.type.object } })
        return v.monoid_of(v.new_monoid({ name = name or m.name, type = H, identity = { heads = 0, value = m.identity }, members = { m.handle },
            combine = function(a, b)
                local joined = v.coerce(m.type, m.combine(a.value, b.value), "combine: the result")
                local last, other = reverse and a or b, reverse and b or a
                local has_head = v.ne(last.heads, 0)
                return { heads = are_numbered and v.where(has_head, last.heads, other.heads) or a.heads + b.heads,
                    value = v.where(has_head, last.value, joined) }
            end }, true)), H
    end

    -- The combine of a headed monoid m, of type H, where a flag is enough, not 0 where there is any head: nobody asks for numbers.
    local function flagged(m, H)
        return function(a, b)
            local joined = v.coerce(m.type, m.combine(a.value, b.value), "combine: the result")
            return H.object { heads = a.heads | b.heads, value = v.where(v.ne(b.heads, 0), b.value, joined) }
        end
    end

    local function element(H, C, is_head, value, number)
        return H.object { heads = number or v.where(is_head, C.object(1), C.object(0)), value = value }
    end

    -- When two elements of type T are equal: the spec's `equal`, else eq.
    function v.equal_of(kind, t, T)
        if t.equal == nil and T.kind ~= "scalar" then fail("%s: elements of %s; give equal = function(a, b) .. end", kind, T.name) end
        local equal = t.equal == nil and function(a, b) return v.eq(a, b) end or t.equal
        v.trace("equal", equal, { "a", "b" }, { T, T }, v.scalars.bool)
        return equal
    end

    -- Heads and tails of runs: of elements whose parts part(x) are equal.
    local function runs(equal, part)
        return function(x, _, near) return v.lor(near.first, v.lnot(equal(part(near.before), part(x)))) end,
            function(x, _, near) return v.lor(near.last, v.lnot(equal(part(x), part(near.after)))) end
    end

    local function place(s) return s.heads - 1 end

    -- What each run comes to, at its place among the runs: { { name, of = "head" | "tail", value(s, x) }, .. } and their number, as v.sweep wants it.
    -- value nil: s.value.
    local function by_runs(d, C)
        local H, T = headed(d.monoid, C)
        local function at_head(_, x, i, near) return d.is_head(x, i, near) end
        local function at_tail(_, x, i, near) return d.is_tail(x, i, near) end
        local outputs, continues = {}, nil
        for k, output in ipairs(d.outputs) do
            outputs[k] = { name = output.name, value = output.value or function(s) return s.value end, at = place, count = "count", of = output.of,
                keep = output.of == "head" and at_head or at_tail }
            if not output.value then
                continues = { output = k, start = { heads = 1, value = d.monoid.identity }, counts = d.counts,
                    value = function(before, value) return d.monoid.combine(before.value, value) end }
            end
        end
        return { input = d.input, monoid = H, has_no_carry = true, outputs = outputs, continues = continues,
            numbers = { { "count", function(s) return s.heads end } },
            map = function(x, i, near) return element(T, C, d.is_head(x, i, near), d.map(x, i, near)) end }
    end
    local function sweep_by_runs(op, word, d) v.sweep(op, word, function(C) return by_runs(d, C) end) end

    -- d, whose functions take an element of t, by functions that take what the arrays have, where a pipeline computes some of t.
    local function of_arrays(d, t)
        if not t.in_records then return d end
        for _, name in ipairs { "is_head", "is_tail", "map" } do d[name] = t.in_records(d[name]) end
        for _, output in ipairs(d.outputs) do output.value = output.value and t.in_records(output.value, 2) end
        return d
    end

    v.new_kind("run_length_encode", { "input", "equal", "length" }, function(op, t, of_pipeline)
        local read = v.without_generated("run_length_encode", of_pipeline.inputs and { inputs = of_pipeline.inputs } or t)
        local input = v.read_inputs("run_length_encode", op, read)
        if not input then fail("run_length_encode: input is missing; give the type of its elements, as in input = u32") end
        local L = t.length == nil and v.scalars.u32 or v.stored_type(t.length, "run_length_encode: length")
        if L.scalar ~= "u32" and L.scalar ~= "u64" or L.kind ~= "scalar" then fail("run_length_encode: length is u32 or u64, not %s", L.name) end
        local is_head, is_tail = runs(v.equal_of("run_length_encode", t, read.record or input), function(x) return x end)
        sweep_by_runs(op, "run_length_encode", of_arrays({ input = input, monoid = v.monoid_of(spec.sum(L.object)),
            is_head = is_head, is_tail = is_tail, map = function() return L.object(1) end, counts = true,
            outputs = { { name = "out", of = "head", value = function(_, x) return x end },
                { name = "lengths", of = "tail" } } }, read))
    end)

    v.new_kind("reduce_by_key", { "key", "value", "monoid", "equal", "map" }, function(op, t, of_pipeline)
        local m = monoid_of("reduce_by_key", t)
        local K = v.stored_type(t.key, "reduce_by_key: key")
        local V = t.value == nil and m.type or v.stored_type(t.value, "reduce_by_key: value")
        if t.map == nil and not v.same_type(V, m.type) then
            fail("reduce_by_key: value is %s but the monoid's type is %s; give map = function(x, i) .. end", V.name, m.type.name)
        end
        if t.map ~= nil then v.trace("map", t.map, { "x", "i" }, { V, v.scalars.u64 }, m.type) end
        local map = t.map or function(x) return x end
        local is_head, is_tail = runs(v.equal_of("reduce_by_key", t, K), function(x) return x.keys end)
        local inputs = of_pipeline.inputs or { { "keys", K.object }, { "values", V.object } }
        local read = v.without_generated("reduce_by_key", { inputs = inputs })
        local input = v.read_inputs("reduce_by_key", op, read)
        sweep_by_runs(op, "reduce_by_key", of_arrays({ input = input, monoid = m, is_head = is_head, is_tail = is_tail,
            map = function(x, i) return map(x.values, i) end,
            outputs = { { name = "keys_out", of = "head", value = function(_, x) return x.keys end },
                { name = "values_out", of = "tail" } } }, read))
    end)

    -- ---- segments that an array describes ----

    -- What `segments` says of t: { input, map, x(e), is_head, is_tail, needs }, where e has the array beside the elements; heads need so many of
    -- the parameters e, i, near. op learns of the arrays.
    local function read_segments(kind, op, t, m)
        local S, equal, by_offsets = v.scalars.u8, nil, t.segments == "offsets"
        if t.segments ~= "flags" and t.segments ~= "keys" and not by_offsets then
            fail("%s: segments is %s; give \"offsets\", \"flags\" or \"keys\"", kind, t.segments == nil and "missing" or
                rawtype(t.segments) == "string" and #t.segments < 40 and ("%q"):format(t.segments) or describe(t.segments))
        end
        if t.segments == "keys" then
            S = v.stored_type(t.key, kind .. ": key")
            equal = v.equal_of(kind, t, S)
        elseif t.key ~= nil or t.equal ~= nil then
            fail("%s: segments = \"%s\" takes no %s; leave it out, or take \"keys\"", kind, t.segments, t.key ~= nil and "key" or "equal")
        end
        if by_offsets then S, op.offsets = v.scalars.u32, v.scalars.u64.handle end
        local named, X = t.inputs ~= nil, v.read_inputs(kind, {}, t) or m.type
        if t.map == nil and (named or not v.same_type(X, m.type)) then
            fail("%s: %s but the monoid's type is %s; give map = function(%s) .. end", kind,
                named and "there are several inputs," or "input is " .. X.name, m.type.name, named and "e, i" or "x, i")
        end
        local arrays = named and table.move(t.inputs, 1, #t.inputs, 1, {}) or { { "in", X.object } }
        arrays[#arrays + 1] = { "segments", S.object }
        local d = { x = function(e) return named and e or e["in"] end, input = v.read_inputs(kind, op, { inputs = arrays }) }
        if equal then
            d.is_head, d.is_tail = runs(equal, function(e) return e.segments end)
        elseif by_offsets then
            function d.number(e) return e.segments end
            function d.is_head(e) return v.ne(e.segments, 0) end
            function d.is_tail(_, _, near) return v.lor(near.last, v.ne(near.after.segments, 0)) end
        else
            -- near.first where it is known: a comparison of indices takes two instructions of 64 bits
            function d.is_head(e, i, near)
                local first
                if near then first = near.first else first = v.eq(i, 0) end
                return v.lor(first, v.ne(e.segments, 0))
            end
            function d.is_tail(_, _, near) return v.lor(near.last, v.ne(near.after.segments, 0)) end
        end
        d.needs = (equal or t.reverse) and 3 or by_offsets and 1 or 2
        d.begins = t.reverse and d.is_tail or d.is_head
        return d
    end

    local function check_function(kind, what, fn, most)
        if rawtype(fn) ~= "function" then
            fail("%s: %s is %s; give a function", kind, what, v.source_of(fn) and "a source" or describe(fn))
        end
        v.check_count(what, fn, most)
        return fn
    end

    -- What users' functions take as near; segment: the segment's number, where it is known.
    local function near_of(d, e, i, near, segment)
        return near and v.near_in_segments(near, d.x, d.is_head(e, i, near), d.is_tail(e, i, near), segment)
    end

    -- The monoid's element of an element; init comes before all others of a segment.
    local function value_of(kind, d, t, m)
        local map = check_function(kind, "map", t.map or function(x) return x end, 3)
        local init = t.init ~= nil and v.constant(v.coerce(m.type, v.known("init", t.init), "init"))
        return function(e, i, near)
            local value = v.coerce(m.type, map(d.x(e), i, near_of(d, e, i, near)), "map: the result")
            if not init then return value end
            local joined = v.coerce(m.type, t.reverse and m.combine(value, init) or m.combine(init, value), "combine: the result")
            return v.where(d.begins(e, i, near), joined, value)
        end, v.parameters_of(map)
    end

    -- op learns how kernels find out the number of segments.
    function count_segments(op)
        local count, most = v.segment_count().value, spec.u32(0xffffffff)
        op.count_segments = v.trace("segment_count", function()
            return v.where(v.lt(count, spec.u64(most)), spec.u32(count), most)
        end, {}, {}, v.scalars.u32, true)
    end

    -- What each segment comes to, at its place, also those without elements: outputs as by_runs has them.
    local function by_offsets(op, word, d, init)
        local H, T = headed(d.monoid, v.scalars.u32, nil, false, d.number)
        local u32, length, outputs = v.scalars.u32, v.segment_count(), {} -- u32: traced functions hold nothing that a trace changes, as v
        local V, combine, coerce = d.monoid.type, d.monoid.combine, v.coerce
        local function at_tail(_, x, i, near) return d.is_tail(x, i, near) end
        for k, output in ipairs(d.outputs) do
            outputs[k] = { name = output.name, value = output.value or function(s) return s.value end, at = place, keep = at_tail, length = length }
        end
        count_segments(op)
        v.sweep(op, word, { input = d.input, monoid = H, has_no_carry = true, outputs = outputs,
            part = { combine = flagged(d.monoid, T), -- since parts have no numbers
                type = V, of = function(s) return s.value end, state = function(value) return T.object { heads = 0, value = value } end,
                joined = function(before, own) return coerce(V, combine(before.value, own), "combine: the result") end },
            empty = T.object { heads = 0, value = init == nil and d.monoid.identity or v.coerce(d.monoid.type, init, "init") },
            map = function(x, i, near) return element(T, u32, nil, d.map(x, i, near), d.number(x)) end })
    end

    v.new_kind("segmented_scan", { "segments", "key", "equal", "monoid", "kind", "input", "inputs", "map", "output", "outputs", "init", "reverse" },
        function(op, t)
            local word = "segmented_scan"
            local m, reverse = monoid_of(word, t), v.flag(t, "reverse")
            local d = read_segments(word, op, t, m)
            local H, T = headed(m, v.scalars.u32, "segmented(" .. m.name .. ")", reverse, d.number)
            local value, taken = value_of(word, d, t, m)
            local is_flagged = d.number and not reverse and taken < 3 -- by look-ahead: each element has its own place, and nobody asks for numbers
            local exclusive, before = t.kind == "exclusive", v.coerce(m.type, t.init == nil and m.identity or t.init, "init")
            local function of_place(what, fn)
                local most = v.parameters_of(check_function(word, what, fn, 4))
                return v.taking(math.max(most, exclusive and d.needs + 1 or 1), function(st, e, i, near)
                    local s, number = st.value, not reverse and st.heads - 1 or nil
                    if exclusive then
                        local begins = d.begins(e, i, near)
                        s = v.where(begins, before, s)
                        if number and d.number then number = v.where(begins, e.segments - 1, number)
                        elseif number then number = number + v.where(begins, spec.u32(1), spec.u32(0)) end
                    end
                    return fn(s, e and d.x(e), i, most > 3 and near_of(d, e, i, near, number) or nil)
                end)
            end
            local outputs = v.list_outputs(word, t) or { { name = "out", value = function(s) return s end } }
            for k, output in ipairs(outputs) do
                local entry = { output.name, length = t.outputs and t.outputs[k].length }
                is_flagged = is_flagged and output.keep == nil and output.at == nil and v.parameters_of(output.value) < 4
                for _, name in ipairs { "value", "keep", "at" } do
                    local what = t.outputs and name .. " of " .. output.name or "output"
                    if output[name] ~= nil then entry[name] = of_place(what, output[name]) end
                end
                outputs[k] = entry
            end
            op.kind, op.word = "scan", word
            if d.number then count_segments(op) end
            if is_flagged then op.part_combine = v.trace("combine", flagged(m, T), { "a", "b" }, { T, T }, T, true) end
            v.fill_fold(word, op, { monoid = H.object, kind = t.kind, reverse = reverse, outputs = t.outputs and outputs,
                output = t.outputs == nil and outputs[1].value or nil,
                map = v.taking(math.max(taken, d.needs), function(e, i, near)
                    return element(T, v.scalars.u32, d.begins(e, i, near), value(e, i, near),
                        not reverse and d.number and d.number(e))
                end) },
                d.input)
        end)

    v.new_kind("segmented_reduce", { "segments", "key", "equal", "monoid", "input", "inputs", "map", "output", "outputs", "init" }, function(op, t)
        local m = monoid_of("segmented_reduce", t)
        local d = read_segments("segmented_reduce", op, t, m)
        d.monoid, d.map, d.outputs = m, value_of("segmented_reduce", d, t, m), {}
        local outputs = v.list_outputs("segmented_reduce", t)
        if not outputs then d.outputs[1] = { name = "out", of = "tail" } end
        for k, output in ipairs(outputs or {}) do
            local word = output.keep ~= nil and "keep" or output.at ~= nil and "at"
            if word then fail("segmented_reduce: '%s' has %s, but all are of one element a segment; leave it out", output.name, word) end
            local fn = check_function("segmented_reduce", "value of " .. output.name, output.value, 1)
            d.outputs[k] = { name = output.name, of = "tail", value = function(s) return fn(s.value) end }
        end
        if d.number then by_offsets(op, "segmented_reduce", d, t.init) else sweep_by_runs(op, "segmented_reduce", d) end
    end)
end
