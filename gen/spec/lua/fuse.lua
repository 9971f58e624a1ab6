-- fuse.lua - maps of a pipeline that are computed where their results are read.
--
-- A map that only operations read which can compute it themselves is no kernel of its own: they read its inputs, and derive its elements
-- (generated.lua). Where several do, each computes it again: as long as they do not read and write more bytes in all than with the array in memory.

local rawtype = type

return function(v)
    local c = v.c

    local MOST_BUFFERS = v.MAX_BUFFERS
    local MOST_BYTES = 48 -- of the arrays' elements: of more, functions cannot know what is near

    local DERIVING = { map = true, scan = true, reduce = true, compact = true, partition = true, unique = true, append = true } -- take `inputs`

    local function has_source(t)
        for _, value in c.next, t do
            if v.source_of(value) then return true end
            if rawtype(value) == "table" and not v.record_of(value) and has_source(value) then return true end
        end
        return false
    end

    local function bytes_of(arrays)
        local bytes = 0
        for _, array in ipairs(arrays) do bytes = bytes + c.type_bytes(array.type.handle) end
        return bytes
    end

    -- The inputs of a stage: { { name that functions know it by, array }, .. } in their order; nil: they are not all arrays.
    local function inputs_of(stage)
        if stage.t.input ~= nil then return { { "in", stage.given["in"] } } end
        local list = {}
        for _, entry in ipairs(stage.t.inputs and v.listed_inputs(stage.word, stage.t.inputs) or {}) do
            if not stage.given[entry[1]] then return nil end -- generated
            list[#list + 1] = { entry[1], stage.given[entry[1]] }
        end
        return #list > 0 and list or nil
    end

    -- Arrays in memory that make the array: itself, or of what is fused the inputs, each once.
    local function add_bases(array, bases, seen)
        if array.maker then
            for _, input in ipairs(array.maker.inputs) do add_bases(input[2], bases, seen) end
        elseif not seen[array] then
            bases[#bases + 1], seen[array] = array, true
        end
        return bases
    end

    -- Whether the stage is a map that others can compute: of one output, of the element and its index alone.
    local function is_computable(stage)
        local t = stage.t
        return stage.word == "map" and t.output ~= nil and v.parameters_of(t.output) <= 2 and not has_source(t) and inputs_of(stage) ~= nil
            and #stage.made == 1 and stage.made[1].of == stage.of
    end

    -- Whether it can derive the arrays that it reads with `array` in the place of what is made: by how many buffers it has, and their bytes.
    local function can_derive(stage, maker)
        if not DERIVING[stage.word] or has_source(stage.t) then return false end
        local inputs = inputs_of(stage)
        if not inputs then return false end
        local bases, seen = {}, {}
        for _, input in ipairs(inputs) do
            if input[2] == maker.made[1] then
                for _, of_map in ipairs(maker.inputs) do add_bases(of_map[2], bases, seen) end
            else
                add_bases(input[2], bases, seen)
            end
        end
        return #bases + stage.buffer_count - stage.input_count + maker.buffer_count - maker.input_count - 1 <= MOST_BUFFERS
            and bytes_of(bases) <= MOST_BYTES
    end

    -- The stages that read the array, by p.
    local function readers_of(p, array)
        local readers = {}
        for _, stage in ipairs(p.stages) do
            for _, given in c.next, stage.given do if given == array then readers[#readers + 1] = stage break end end
        end
        return readers
    end

    -- Whether no more is read and written where `count` stages compute what the map makes.
    local function is_cheaper(maker, count)
        local bases, seen = {}, {}
        for _, input in ipairs(maker.inputs) do add_bases(input[2], bases, seen) end
        local read, made = bytes_of(bases), bytes_of(maker.made)
        return count * read <= read + (count + 1) * made
    end

    local function is_worth(p, stage)
        local array = stage.made[1]
        if not is_computable(stage) or array.output then return false end
        local readers = readers_of(p, array)
        stage.inputs = inputs_of(stage)
        for _, reader in ipairs(readers) do if not can_derive(reader, stage) then return false end end
        return #readers > 0 and is_cheaper(stage, #readers)
    end

    -- What makes an element of the array: of array(name), the elements of arrays in memory, and the index.
    local function derivation(array, names)
        local maker = array.maker
        if not maker then return function(element) return element(names[array]) end end
        local makers, fields = {}, {}
        for k, input in ipairs(maker.inputs) do
            makers[k], fields[k] = derivation(input[2], names), { input[1], input[2].type.object }
        end
        local fn, T, is_single = maker.t.output, array.type, maker.t.input ~= nil
        local E = not is_single and v.record_type("map: inputs", "Element", fields)
        local coerce, unpack = v.coerce, table.unpack -- traced functions hold nothing that a trace changes
        return function(element, i)
            local parts = {}
            for k, make in ipairs(makers) do parts[k] = make(element, i) end
            local x
            if is_single then x = parts[1] else x = E.object(unpack(parts)) end
            return coerce(T, fn(x, i), "output: the result")
        end
    end

    -- The stage's table with what is derived in the place of arrays that are no more, and the arrays by buffer.
    local function derived(stage)
        local inputs, t, given, names, list, bases = inputs_of(stage), {}, {}, {}, {}, {}
        local seen = {}
        for _, input in ipairs(inputs) do add_bases(input[2], bases, seen) end
        for key, value in c.next, stage.plain do t[key] = value end
        for _, input in ipairs(inputs) do if not input[2].maker then names[input[2]] = input[1] end end
        for k, base in ipairs(bases) do names[base] = names[base] or ("%s_of_%d"):format(base.name:sub(1, 40), k) end
        local shown = {}
        for _, input in ipairs(inputs) do
            local array = input[2]
            local is_shown = not array.maker and names[array] == input[1]
            list[#list + 1] = is_shown and { input[1], array.type.object }
                or { input[1], array.type.object, derive = derivation(array, names) }
            if is_shown then shown[array] = true end
        end
        for _, base in ipairs(bases) do
            if not shown[base] then list[#list + 1] = { names[base], base.type.object, hidden = true } end
            given[names[base]] = base
        end
        list.is_single = stage.t.input ~= nil
        t.input, t.inputs = nil, list
        if list.is_single and #bases == 1 then given = { ["in"] = bases[1] } end
        return t, given
    end

    -- Makes the operations of p anew whose inputs are derived; maps that nobody reads any more are left out. remake(stage, t, given).
    function v.fuse_maps(p, remake)
        local kept = {}
        for _, stage in ipairs(p.stages) do
            if is_worth(p, stage) then stage.made[1].maker, stage.made[1].is_used = stage, false else kept[#kept + 1] = stage end
        end
        p.stages = kept
        for _, stage in ipairs(kept) do
            local is_derived = false
            for _, array in c.next, stage.given do is_derived = is_derived or array.maker ~= nil end
            if is_derived then remake(stage, derived(stage)) end
        end
    end
end
