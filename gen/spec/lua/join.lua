-- join.lua - scans of a pipeline side by side: several that read no result of each other are one scan, of the pair of their monoids. So are
-- reductions.
--
-- Its inputs are the arrays that the kernel reads, and all functions are made of their elements: each scan's own element is computed of these, as
-- that of a map is. So each scan sees what it would see by itself, and each output what belongs to its scan. Where one of the scans is exclusive all
-- are, and the inclusive ones combine their element at the store.

return function(v)
    local c, spec = v.c, v.spec

    -- Whether the stage can be one of several, as far as it alone decides: no function asks for what is near.
    function v.can_join(stage, outputs)
        if stage.t.init ~= nil or v.parameters_of(stage.t.map) > 2 then return false end
        for _, output in ipairs(outputs) do if v.parameters_of(output.value) > 3 then return false end end
        return true
    end

    -- What makes an element of the scan: of array(name), the elements of arrays in memory, and the index.
    local function element_of(kernel, scan)
        local makers, fields = {}, {}
        for k, input in ipairs(scan.inputs) do
            makers[k], fields[k] = v.derivation(kernel, input[2]), { input[1], input[2].type.object }
        end
        local E = scan.t.input == nil and v.record_type("scan: inputs", "Element", fields)
        local unpack = table.unpack
        return function(element, i)
            local parts = {}
            for k, maker in ipairs(makers) do parts[k] = maker(element, i) end
            if E then return E.object(unpack(parts)) end
            return parts[1]
        end
    end

    -- What makes the array's element at a store: of array(name), the state of all scans, the index.
    local function storing(kernel, array)
        local joined = kernel.joined[array]
        if joined then
            local value, part, element_maker, T, coerce = joined.value, joined.part, joined.element, array.type, v.coerce
            local state = joined.state
            return function(element, s, i)
                local x = element and element_maker(element, i)
                return coerce(T, value(state(s[part], x, i), x, i), "output: the result")
            end
        end
        if not kernel.makers[array] then return v.derivation(kernel, array) end
        local inputs, make = v.element_maker(kernel.makers[array])
        local makers = {}
        for k, input in ipairs(inputs) do makers[k] = storing(kernel, input[2]) end
        return function(element, s, i)
            local parts = {}
            for k, maker in ipairs(makers) do parts[k] = maker(element, s, i) end
            return make(parts, i)
        end
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

    -- The table of the one scan or reduction, the arrays that it reads by buffer, and those that it writes.
    function v.joined_scan(kernel)
        local monoids, elements, maps, given, inputs, taken = {}, {}, {}, {}, {}, {}
        local is_plain = #kernel.bases == 1
        local first, names, kind = kernel.scans[1], kernel.names, nil
        for _, scan in ipairs(kernel.scans) do if scan.t.kind == "exclusive" then kind = "exclusive" end end
        for k, base in ipairs(kernel.bases) do inputs[k], given[names[base]], taken[names[base]] = { names[base], base.type.object }, base, true end
        local function of(x) return function(name) if is_plain then return x end return x[name] end end
        for k, scan in ipairs(kernel.scans) do
            monoids[k], elements[k], maps[k] = scan.t.monoid, element_of(kernel, scan), scan.t.map or function(x) return x end
            for _, output in ipairs(scan.outputs) do
                kernel.joined[scan.writes[output.name]] = { value = output.value, part = "_" .. k, element = elements[k],
                    state = state_maker(scan, kind) }
            end
        end
        local t = { monoid = spec.pair(table.unpack(monoids)), kind = kind, reverse = first.t.reverse, outputs = {} }
        for _, key in ipairs { "deterministic", "tune" } do t[key] = first.plain[key] end
        if is_plain then t.input, given = kernel.bases[1].type.object, { ["in"] = kernel.bases[1] } else t.inputs = inputs end
        local coerce, types = v.coerce, {}
        for k, monoid in ipairs(monoids) do types[k] = v.monoid_of(monoid).type end
        t.map = v.named_alike(v.taking(2, function(x, i)
            local parts, element = {}, of(x)
            for k, map in ipairs(maps) do parts[k] = coerce(types[k], map(elements[k](element, i), i), "map: the result") end
            return parts
        end))
        local writes, of_all = {}, first.word == "reduce"
        local function store(array, name)
            while taken[name] do name = name .. "_" end
            local make = storing(kernel, array)
            local function of_element(s, x, i) return make(of(x), s, i) end
            local function of_total(s) return make(nil, s) end
            t.outputs[#t.outputs + 1] = { name, value = v.named_alike(of_all and v.taking(1, of_total) or v.taking(3, of_element)) }
            taken[name], writes[name] = true, array
        end
        for _, scan in ipairs(kernel.scans) do
            for _, output in ipairs(scan.outputs) do
                local array = scan.writes[output.name]
                if kernel.writes[array] then store(array, array.name) end
            end
        end
        for _, map in ipairs(kernel.stored) do store(map.made[1], map.name) end
        return t, given, writes
    end
end
