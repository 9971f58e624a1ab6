-- join.lua - scans of a pipeline side by side: several that read no result of each other are one scan, of the pair of their monoids. So are
-- reductions.
--
-- Its inputs are the arrays that the kernel reads, and all functions are made of their elements: each scan's own element is computed of these, as
-- that of a map is. So each scan sees what it would see by itself, and each output what belongs to its scan. Where one of the scans is exclusive all
-- are, and the inclusive ones combine their element at the store.
--
-- Scans of what others of them return are second ones. The one scan's states have theirs, too, which are the identity until the first ones' are
-- known: then a recount makes the second ones' elements of these, which are scanned by themselves (sweep.lua has another use of it).

return function(v)
    local c, spec = v.c, v.spec

    -- Whether the stage can be one of several, as far as it alone decides: no function asks for what is near, or is a source.
    function v.can_join(stage, outputs)
        if stage.t.init ~= nil or v.parameters_of(stage.t.map) > 2 or v.source_of(v.monoid_of(stage.t.monoid).combine) then return false end
        for _, output in ipairs(outputs) do if v.parameters_of(output.value) > 3 then return false end end
        return true
    end

    local NEEDS_STATE, NEEDS_ELEMENT, NEEDS_INDEX = 1, 2, 3 -- the last of (s, x, i)

    -- What makes the array's element: e.of(name) is one of an array in memory, e.s the state of all scans where that is known, e.i the index. And
    -- which of these it needs.
    local making
    making = v.once_each(function(kernel, array)
        local joined = kernel.joined[array]
        if joined then
            local value, T, coerce, state, element_maker = joined.value, array.type, v.coerce, joined.state, joined.element
            local takes_element = v.parameters_of(value) > 1
            local needs = math.max((takes_element or joined.takes_element) and joined.needs or NEEDS_STATE,
                v.parameters_of(value) > 2 and NEEDS_INDEX or NEEDS_STATE)
            return function(e)
                local x = takes_element and element_maker(e) or nil
                return coerce(T, value(state(e), x, e.i), "output: the result")
            end, needs
        end
        if not kernel.makers[array] then return v.derivation(kernel, array), NEEDS_ELEMENT end
        local map, makers = kernel.makers[array], {}
        local needs = v.parameters_of(map.t.output) > 1 and NEEDS_INDEX or NEEDS_STATE
        for k, input in ipairs(map.inputs) do
            local most
            makers[k], most = making(kernel, input[2])
            needs = math.max(needs, most)
        end
        return v.of_inputs(map, makers), needs
    end)

    -- What makes an element of the scan, of the same; and what it needs, with the scan's map.
    local function element_of(kernel, scan)
        local makers, fields, needs = {}, {}, v.parameters_of(scan.t.map) > 1 and NEEDS_INDEX or NEEDS_STATE
        for k, input in ipairs(scan.inputs) do
            local most
            makers[k], most = making(kernel, input[2])
            fields[k], needs = { input[1], input[2].type.object }, math.max(needs, most)
        end
        local E = scan.t.input == nil and v.record_type("scan: inputs", "Element", fields)
        local unpack = table.unpack
        return v.once(function(e)
            local parts = {}
            for k, maker in ipairs(makers) do parts[k] = maker(e) end
            if E then return E.object(unpack(parts)) end
            return parts[1]
        end), needs
    end

    -- Whether the array is made of what a scan of the kernel returns.
    local function is_of_scans(kernel, array)
        if kernel.is_own[array] then return true end
        local known = kernel.of_scans[array]
        if known == nil then
            known = false
            for _, input in ipairs(kernel.makers[array] and kernel.makers[array].inputs or {}) do known = known or is_of_scans(kernel, input[2]) end
            kernel.of_scans[array] = known
        end
        return known
    end
    local function is_second(kernel, scan)
        for _, input in ipairs(scan.inputs) do if is_of_scans(kernel, input[2]) then return true end end
        return false
    end

    -- What makes a scan's state of what the one scan, which may be exclusive, has of it as e.s[part].
    local function state_maker(scan, part, is_exclusive, element)
        if not is_exclusive or scan.t.kind == "exclusive" then return function(e) return e.s[part] end end
        local m, map, is_reversed, coerce = v.monoid_of(scan.t.monoid), scan.t.map, scan.t.reverse, v.coerce
        return v.once(function(e)
            local s, x = e.s[part], element(e)
            local own = coerce(m.type, map and map(x, e.i) or x, "map: the result")
            return coerce(m.type, is_reversed and m.combine(own, s) or m.combine(s, own), "combine: the result")
        end)
    end

    -- The table of the one scan or reduction, the arrays that it reads by buffer, those that it writes, and what it has of second scans, or nil.
    function v.joined_scan(kernel)
        local monoids, elements, maps, given, inputs, are_second, has_second, needs = {}, {}, {}, {}, {}, {}, false, NEEDS_STATE
        local is_plain = #kernel.bases == 1
        local first, names, kind = kernel.scans[1], kernel.names, nil
        for _, scan in ipairs(kernel.scans) do if scan.t.kind == "exclusive" then kind = "exclusive" end end
        for k, base in ipairs(kernel.bases) do inputs[k], given[names[base]] = { names[base], base.type.object }, base end
        local function of(x) return function(name) if is_plain then return x end return x[name] end end
        for k, scan in ipairs(kernel.scans) do
            local most
            monoids[k], maps[k], are_second[k] = scan.t.monoid, scan.t.map or function(x) return x end, is_second(kernel, scan)
            elements[k], most = element_of(kernel, scan)
            if are_second[k] then has_second, needs = true, math.max(needs, most) end
            local state = state_maker(scan, "_" .. k, kind, elements[k])
            for _, output in ipairs(scan.outputs) do
                kernel.joined[scan.writes[output.name]] = { value = output.value, element = elements[k], needs = most, state = state,
                    takes_element = kind == "exclusive" and scan.t.kind ~= "exclusive" }
            end
        end
        local t = { monoid = spec.pair(table.unpack(monoids)), kind = kind, reverse = first.t.reverse, outputs = {} }
        for _, key in ipairs { "deterministic", "tune" } do t[key] = first.plain[key] end
        if is_plain then t.input, given = kernel.bases[1].type.object, { ["in"] = kernel.bases[1] } else t.inputs = inputs end
        local coerce, types, none = v.coerce, {}, {}
        for k, monoid in ipairs(monoids) do types[k], none[k] = v.monoid_of(monoid).type, v.monoid_of(monoid).identity end
        local function own_parts(seconds, x, s, i)
            local parts, e = {}, { of = of(x), s = s, i = i, made = {} }
            for k, map in ipairs(maps) do
                if are_second[k] == seconds then parts[k] = coerce(types[k], map(elements[k](e), i), "map: the result")
                else parts[k] = coerce(types[k], none[k], "identity") end
            end
            return parts
        end
        t.map = v.named_alike(v.taking(2, function(x, i) return own_parts(false, x, nil, i) end))
        local second = has_second and { recount = v.taking(needs, function(s, x, i) return own_parts(true, x, s, i) end),
            merged = function(a, b)
                local parts = {}
                for k in ipairs(maps) do parts[k] = (are_second[k] and b or a)["_" .. k] end
                return parts
            end } or nil
        local writes, of_all = {}, first.word == "reduce"
        local function store(array, name)
            name = v.new_name(kernel.taken, name)
            local make, most = making(kernel, array)
            local function of_element(s, x, i) return make { of = of(x), s = s, i = i, made = {} } end
            local function of_total(s) return make { s = s, made = {} } end
            local value = of_all and v.taking(1, of_total) or v.taking(second and most or 3, of_element)
            t.outputs[#t.outputs + 1] = { name, value = v.named_alike(value) }
            writes[name] = array
        end
        for _, scan in ipairs(kernel.scans) do
            for _, output in ipairs(scan.outputs) do
                local array = scan.writes[output.name]
                if kernel.writes[array] then store(array, array.name) end
            end
        end
        for _, map in ipairs(kernel.stored) do store(map.made[1], map.name) end
        return t, given, writes, second
    end
end
