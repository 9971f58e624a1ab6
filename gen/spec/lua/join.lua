-- join.lua - scans of a pipeline side by side: several that read no result of each other are one scan, of the pair of their monoids.
--
-- Its inputs are the arrays that the kernel reads, and all functions are made of their elements: each scan's own element is computed of these, as
-- that of a map is. So each scan sees what it would see by itself, and each output what belongs to its scan.

return function(v)
    local c, spec = v.c, v.spec

    -- Whether the stage can be one of several, as far as it alone decides: no function asks for what is near.
    function v.can_join(stage, outputs)
        if stage.word ~= "scan" or stage.t.init ~= nil or v.parameters_of(stage.t.map) > 2 then return false end
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
            return function(element, s, i) return coerce(T, value(s[part], element_maker(element, i), i), "output: the result") end
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

    -- The table of the one scan, the arrays that it reads by buffer, and those that it writes.
    function v.joined_scan(kernel)
        local monoids, elements, maps, given, inputs, taken = {}, {}, {}, {}, {}, {}
        local is_plain = #kernel.bases == 1
        local first, names = kernel.scans[1], kernel.names
        for k, base in ipairs(kernel.bases) do inputs[k], given[names[base]], taken[names[base]] = { names[base], base.type.object }, base, true end
        local function of(x) return function(name) if is_plain then return x end return x[name] end end
        for k, scan in ipairs(kernel.scans) do
            monoids[k], elements[k], maps[k] = scan.t.monoid, element_of(kernel, scan), scan.t.map or function(x) return x end
            for _, output in ipairs(scan.outputs) do
                kernel.joined[scan.writes[output.name]] = { value = output.value, part = "_" .. k, element = elements[k] }
            end
        end
        local t = { monoid = spec.pair(table.unpack(monoids)), kind = first.t.kind, reverse = first.t.reverse, outputs = {} }
        for _, key in ipairs { "deterministic", "tune" } do t[key] = first.plain[key] end
        if is_plain then t.input, given = kernel.bases[1].type.object, { ["in"] = kernel.bases[1] } else t.inputs = inputs end
        local coerce, types = v.coerce, {}
        for k, monoid in ipairs(monoids) do types[k] = v.monoid_of(monoid).type end
        t.map = v.named_alike(v.taking(2, function(x, i)
            local parts, element = {}, of(x)
            for k, map in ipairs(maps) do parts[k] = coerce(types[k], map(elements[k](element, i), i), "map: the result") end
            return parts
        end))
        local writes = {}
        local function store(array, name)
            while taken[name] do name = name .. "_" end
            local make = storing(kernel, array)
            t.outputs[#t.outputs + 1] = { name, value = v.named_alike(v.taking(3, function(s, x, i) return make(of(x), s, i) end)) }
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
