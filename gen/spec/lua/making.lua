-- making.lua - what makes an element of an array that a kernel of a pipeline computes: makers, of which fuse.lua and join.lua have several kinds.
--
-- A maker is a function of e, what is computed for one element: e.of(name) is the element of an array in memory, e.i its index; the kinds say what
-- else there is. e.made has what makers have returned, so that each runs once for an element, however many functions read its array.

return function(v)
    -- The maker that runs make(e) once for each e.
    function v.once(make)
        local key = {} -- traced functions hold nothing that a trace changes
        return function(e)
            local x = e.made[key]
            if x == nil then
                x = make(e)
                e.made[key] = x
            end
            return x
        end
    end

    -- find(kernel, array, ..), which returns a maker and a number, called once for each array of a kernel.
    function v.once_each(find)
        return function(kernel, array, ...)
            local found = kernel.found[find] or {}
            kernel.found[find] = found
            if not found[array] then
                local make, number = find(kernel, array, ...)
                found[array] = { v.once(make), number }
            end
            return found[array][1], found[array][2]
        end
    end

    -- What makes a map's element of its inputs', and the index.
    local function element_maker(map)
        local fields, inputs = {}, map.inputs
        for k, input in ipairs(inputs) do fields[k] = { input[1], input[2].type.object } end
        local fn, T, is_single = map.t.output, map.made[1].type, map.t.input ~= nil
        local E = not is_single and v.record_type("map: inputs", "Element", fields)
        local coerce, unpack = v.coerce, table.unpack -- traced functions hold nothing that a trace changes
        return function(parts, i)
            local x
            if is_single then x = parts[1] else x = E.object(unpack(parts)) end
            return coerce(T, fn(x, i), "output: the result")
        end
    end

    -- What makes the map's element of e: makers of its inputs'.
    function v.of_inputs(map, makers)
        local make = element_maker(map)
        return function(e)
            local parts = {}
            for k, maker in ipairs(makers) do parts[k] = maker(e) end
            return make(parts, e.i)
        end
    end

    -- What makes an element of the array.
    v.derivation = v.once_each(function(kernel, array)
        local map, name, makers = kernel.makers[array], kernel.names[array], {}
        if not map then return function(e) return e.of(name) end end
        for k, input in ipairs(map.inputs) do makers[k] = v.derivation(kernel, input[2]) end
        return v.of_inputs(map, makers)
    end)
end
