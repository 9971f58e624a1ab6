-- segments.lua - run_length_encode, reduce_by_key, segmented_scan, segmented_reduce: scans that begin anew at heads.

return function(v)
    local spec, fail, describe = v.spec, v.fail, v.describe

    local function monoid_of(kind, t)
        local m = v.monoid_of(t.monoid)
        if not m then fail("%s: monoid is %s; give one, as in monoid = sum(u32)", kind, t.monoid == nil and "missing" or describe(t.monoid)) end
        return m
    end

    -- m with heads: { heads, value }, how many there are and what the elements from the last one on come to.
    local function headed(m)
        local H = v.structure("Headed", { { "heads", spec.u32 }, { "value", m.type.object } })
        return v.monoid_of(v.new_monoid({ name = m.name, type = H, identity = { heads = 0, value = m.identity }, members = { m.handle },
            combine = function(a, b)
                local joined = v.coerce(m.type, m.combine(a.value, b.value), "combine: the result")
                return { heads = a.heads + b.heads, value = v.where(v.ne(b.heads, 0), b.value, joined) }
            end }, true)), H
    end

    local function element(H, is_head, value) return H.object { heads = v.where(is_head, spec.u32(1), spec.u32(0)), value = value } end

    -- When two elements of type T are equal: the spec's `equal`, else eq.
    function v.equal_of(kind, t, T)
        if t.equal == nil and T.kind ~= "scalar" then fail("%s: elements of %s; give equal = function(a, b) .. end", kind, T.name) end
        local equal = t.equal == nil and function(a, b) return v.eq(a, b) end or t.equal
        v.trace("equal", equal, { "a", "b" }, { T, T }, v.scalars.bool)
        return equal
    end

    -- Heads and tails of runs: of elements whose parts part(x) are equal.
    local function runs(equal, part)
        return function(x, near) return v.lor(near.first, v.lnot(equal(part(near.before), part(x)))) end,
            function(x, near) return v.lor(near.last, v.lnot(equal(part(x), part(near.after)))) end
    end

    local function place(s) return s.heads - 1 end

    -- What each run comes to, at its place among the runs: { { name, of = "head" | "tail", value(s, x) }, .. } and their number.
    local function by_runs(op, word, d)
        local H, T
        H, T = headed(d.monoid)
        local function at_head(_, x, _, near) return d.is_head(x, near) end
        local function at_tail(_, x, _, near) return d.is_tail(x, near) end
        local outputs = {}
        for k, output in ipairs(d.outputs) do
            outputs[k] = { name = output.name, value = output.value, at = place, count = "count", keep = output.of == "head" and at_head or at_tail }
        end
        v.sweep(op, word, { input = d.input, monoid = H, has_no_carry = true, outputs = outputs,
            numbers = { { "count", function(s) return s.heads end } },
            map = function(x, i, near) return element(T, d.is_head(x, near), d.map(x, i)) end })
    end

    v.new_kind("run_length_encode", { "input", "equal", "length" }, function(op, t)
        local input = v.read_inputs("run_length_encode", op, t)
        if not input then fail("run_length_encode: input is missing; give the type of its elements, as in input = u32") end
        local L = t.length == nil and v.scalars.u32 or v.stored_type(t.length, "run_length_encode: length")
        if L.scalar ~= "u32" and L.scalar ~= "u64" or L.kind ~= "scalar" then fail("run_length_encode: length is u32 or u64, not %s", L.name) end
        local is_head, is_tail = runs(v.equal_of("run_length_encode", t, input), function(x) return x end)
        by_runs(op, "run_length_encode", { input = input, monoid = v.monoid_of(spec.sum(L.object)), is_head = is_head, is_tail = is_tail,
            map = function() return L.object(1) end,
            outputs = { { name = "out", of = "head", value = function(_, x) return x end },
                { name = "lengths", of = "tail", value = function(s) return s.value end } } })
    end)

    v.new_kind("reduce_by_key", { "key", "value", "monoid", "equal", "map" }, function(op, t)
        local m = monoid_of("reduce_by_key", t)
        local K = v.stored_type(t.key, "reduce_by_key: key")
        local V = t.value == nil and m.type or v.stored_type(t.value, "reduce_by_key: value")
        if t.map == nil and not v.same_type(V, m.type) then
            fail("reduce_by_key: value is %s but the monoid's type is %s; give map = function(x, i) .. end", V.name, m.type.name)
        end
        if t.map ~= nil then v.trace("map", t.map, { "x", "i" }, { V, v.scalars.u64 }, m.type) end
        local map = t.map or function(x) return x end
        local is_head, is_tail = runs(v.equal_of("reduce_by_key", t, K), function(x) return x.keys end)
        local input = v.read_inputs("reduce_by_key", op, { inputs = { { "keys", K.object }, { "values", V.object } } })
        by_runs(op, "reduce_by_key", { input = input, monoid = m, is_head = is_head, is_tail = is_tail,
            map = function(x, i) return map(x.values, i) end,
            outputs = { { name = "keys_out", of = "head", value = function(_, x) return x.keys end },
                { name = "values_out", of = "tail", value = function(s) return s.value end } } })
    end)
end
