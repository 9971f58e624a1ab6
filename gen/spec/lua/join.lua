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

    -- What makes the array's element: of array(name), the elements of arrays in memory, the state of all scans where that is known, the index. And
    -- which of these it needs.
    local function making(kernel, array)
        local joined = kernel.joined[array]
        if joined then
            local value, part, element_maker, T, coerce = joined.value, joined.part, joined.element, array.type, v.coerce
            local state, takes_element = joined.state, joined.takes_element or v.parameters_of(value) > 1
            local needs = math.max(takes_element and joined.needs or NEEDS_STATE, v.parameters_of(value) > 2 and NEEDS_INDEX or NEEDS_STATE)
            return function(element, s, i)
                local x = takes_element and element_maker(element, s, i) or nil
                return coerce(T, value(state(s[part], x, i), x, i), "output: the result")
            end, needs
        end
        if not kernel.makers[array] then
            local make = v.derivation(kernel, array)
            return function(element, _, i) return make(element, i) end, NEEDS_ELEMENT
        end
        local inputs, make = v.element_maker(kernel.makers[array])
        local makers, needs = {}, v.parameters_of(kernel.makers[array].t.output) > 1 and NEEDS_INDEX or NEEDS_STATE
        for k, input in ipairs(inputs) do
            local most
            makers[k], most = making(kernel, input[2])
            needs = math.max(needs, most)
        end
        return function(element, s, i)
            local parts = {}
            for k, maker in ipairs(makers) do parts[k] = maker(element, s, i) end
            return make(parts, i)
        end, needs
    end

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
        return function(element, s, i)
            local parts = {}
            for k, maker in ipairs(makers) do parts[k] = maker(element, s, i) end
            if E then return E.object(unpack(parts)) end
            return parts[1]
        end, needs
    end

    -- Whether the array is made of what a scan of the kernel returns.
    local function is_of_scans(kernel, array)
        if kernel.is_own[array] then return true end
        for _, input in ipairs(kernel.makers[array] and kernel.makers[array].inputs or {}) do
            if is_of_scans(kernel, input[2]) then return true end
        end
        return false
    end
    local function is_second(kernel, scan)
        for _, input in ipairs(scan.inputs) do if is_of_scans(kernel, input[2]) then return true end end
        return false
    end

    -- What makes a scan's state of what the one scan, which is exclusive, has of it.
    local function state_maker(scan, is_exclusive)
        if not is_exclusive or scan.t.kind == "exclusive" then return function(s) return s end end
        local m, map, is_reversed, coerce = v.monoid_of(scan.t.monoid), scan.t.map, scan.t.reverse, v.coerce
        return function(s, x, i)
            local own = coerce(m.type, map and map(x, i) or x, "map: the result")
            return coerce(m.type, is_reversed and m.combine(own, s) or m.combine(s, own), "combine: the result")
        end
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
            for _, output in ipairs(scan.outputs) do
                kernel.joined[scan.writes[output.name]] = { value = output.value, part = "_" .. k, element = elements[k], needs = most,
                    state = state_maker(scan, kind), takes_element = kind == "exclusive" and scan.t.kind ~= "exclusive" }
            end
        end
        local t = { monoid = spec.pair(table.unpack(monoids)), kind = kind, reverse = first.t.reverse, outputs = {} }
        for _, key in ipairs { "deterministic", "tune" } do t[key] = first.plain[key] end
        if is_plain then t.input, given = kernel.bases[1].type.object, { ["in"] = kernel.bases[1] } else t.inputs = inputs end
        local coerce, types, none = v.coerce, {}, {}
        for k, monoid in ipairs(monoids) do types[k], none[k] = v.monoid_of(monoid).type, v.monoid_of(monoid).identity end
        local function own_parts(seconds, element, s, i)
            local parts = {}
            for k, map in ipairs(maps) do
                if are_second[k] == seconds then parts[k] = coerce(types[k], map(elements[k](element, s, i), i), "map: the result")
                else parts[k] = coerce(types[k], none[k], "identity") end
            end
            return parts
        end
        t.map = v.named_alike(v.taking(2, function(x, i) return own_parts(false, of(x), nil, i) end))
        local second = has_second and { recount = v.taking(needs, function(s, x, i) return own_parts(true, of(x), s, i) end),
            merged = function(a, b)
                local parts = {}
                for k in ipairs(maps) do parts[k] = (are_second[k] and b or a)["_" .. k] end
                return parts
            end } or nil
        local writes, of_all = {}, first.word == "reduce"
        local function store(array, name)
            name = v.new_name(kernel.taken, name)
            local make, most = making(kernel, array)
            local function of_element(s, x, i) return make(of(x), s, i) end
            local function of_total(s) return make(nil, s) end
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
