-- fuse.lua - maps of a pipeline that are computed where their results are read.
--
-- A map that only operations read which can compute it themselves is no kernel of its own: they read its inputs, and derive its elements
-- (generated.lua). Where several do, each computes it again: as long as they do not read and write more bytes in all than with the array in memory.
-- A map of what a scan returns, and of the scan's own inputs, is another output of the scan, which need not write what nobody else reads.

local rawtype = type

return function(v)
    local c = v.c

    local MOST_BUFFERS = v.MAX_BUFFERS
    local MOST_BYTES = 48 -- of the arrays' elements: of more, functions cannot know what is near

    -- Whether functions of such an operation may have elements that are computed. Segments are found by what is in memory.
    local function takes_derived(word) return v.takes_parameter(word, "inputs") and not v.takes_parameter(word, "segments") end

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
        if not takes_derived(stage.word) or has_source(stage.t) then return false end
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

    -- ---- maps where what they read is stored ----

    -- The functions of a scan's outputs, as v.list_outputs has them; nil: they do not write an element for each that is read.
    local function outputs_of(stage)
        if stage.word ~= "scan" or has_source(stage.t) then return nil end
        local outputs = stage.stored or v.list_outputs("scan", stage.t) or { { name = "out", value = function(s) return s end } }
        for _, output in ipairs(outputs) do if output.keep ~= nil or output.at ~= nil then return nil end end
        return outputs
    end

    -- Whether what the functions of a stage compute with is there before another one runs.
    local function has_its_values(p, stage, other)
        for _, array in c.next, stage.arrays do
            local is_made_later, is_later = false, false
            for _, between in ipairs(p.stages) do
                is_later = is_later or between == other
                for _, made in ipairs(between.made) do is_made_later = is_made_later or (is_later and made == array) end
            end
            if is_made_later and array.is_value then return false end
        end
        return true
    end

    -- Where the map's input is known to functions of the scan's outputs: the output that has it, or its name among the inputs.
    local function find_input(scan, array)
        for b, buffer in ipairs(scan.buffers) do if scan.writes[buffer.name] == array then return buffer.name end end
        for _, input in ipairs(inputs_of(scan) or {}) do if input[2] == array then return nil, input[1] end end
    end

    -- The scan that can store what the map makes of its results.
    local function storing(p, map)
        for _, input in ipairs(map.inputs) do
            local scan = input[2].stage
            local outputs = scan and scan.of == map.of and outputs_of(scan)
            local fits = outputs and scan.buffer_count + map.buffer_count - map.input_count <= MOST_BUFFERS and has_its_values(p, map, scan)
                and scan.t.tune == nil and map.t.tune == nil and not scan.given[map.name] and bytes_of(scan.made) + bytes_of(map.made) <= MOST_BYTES
            for _, other in ipairs(map.inputs) do
                local output, name = find_input(scan or map, other[2])
                fits = fits and (output or name)
            end
            if fits then return scan, outputs end
        end
    end

    -- The map's function as one of the scan's state, element and index.
    local function stored_value(map, scan, outputs)
        local makers, fields, most = {}, {}, 1
        local is_single = scan.t.input ~= nil
        for k, input in ipairs(map.inputs) do
            local output, name = find_input(scan, input[2])
            local value, T, coerce = nil, input[2].type, v.coerce
            for _, entry in ipairs(outputs) do if entry.name == output then value = entry.value end end
            if value then
                makers[k] = function(s, x, i, near) return coerce(T, value(s, x, i, near), "output: the result") end
                most = math.max(most, v.parameters_of(value))
            else
                makers[k] = function(_, x) if is_single then return x else return x[name] end end
                most = math.max(most, 2)
            end
            fields[k] = { input[1], T.object }
        end
        local fn, of_one = map.t.output, map.t.input ~= nil
        local count = v.parameters_of(fn)
        local E = not of_one and v.record_type("map: inputs", "Element", fields)
        local unpack = table.unpack
        return v.named_alike(v.taking(math.max(most, count > 1 and 3 or 1), function(s, x, i, near)
            local parts = {}
            for k, make in ipairs(makers) do parts[k] = make(s, x, i, near) end
            return fn(of_one and parts[1] or E.object(unpack(parts)), i)
        end))
    end

    local function store(p, map, scan, outputs)
        local made, kept = map.made[1], {}
        scan.stored = table.move(outputs, 1, #outputs, 1, {})
        scan.stored[#outputs + 1] = { name = map.name, value = stored_value(map, scan, outputs) }
        scan.writes[map.name], made.stage = made, scan
        scan.made[#scan.made + 1] = made
        scan.buffer_count = scan.buffer_count + map.buffer_count - map.input_count
        for _, stage in ipairs(p.stages) do if stage ~= map then kept[#kept + 1] = stage end end
        p.stages = kept
    end

    -- What a scan that stores results of maps is to be made of: of one output its function, of several a list.
    local function set_outputs(p, scan)
        local list = {}
        for _, output in ipairs(scan.stored) do
            local array = scan.writes[output.name]
            if array.output or #readers_of(p, array) > 0 then list[#list + 1] = { output.name, value = output.value }
            else array.is_used, scan.writes[output.name] = false, nil end
        end
        if #list == 1 and scan.t.input ~= nil then
            for _, t in ipairs { scan.t, scan.plain } do t.output, t.outputs = list[1].value, nil end
            scan.writes = { out = scan.writes[list[1][1]] }
        else
            for _, t in ipairs { scan.t, scan.plain } do t.output, t.outputs = nil, list end
        end
    end

    -- Scans of p that write, in the place of maps, what these make of their results.
    local function store_maps(p)
        for _, stage in ipairs(p.stages) do
            if is_computable(stage) then
                stage.inputs = inputs_of(stage)
                local scan, outputs = storing(p, stage)
                if scan then store(p, stage, scan, outputs) end
            end
        end
        for _, stage in ipairs(p.stages) do if stage.stored then set_outputs(p, stage) end end
    end

    -- ---- maps where they are read ----

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
        store_maps(p)
        for _, stage in ipairs(p.stages) do
            if is_worth(p, stage) then stage.made[1].maker, stage.made[1].is_used = stage, false else kept[#kept + 1] = stage end
        end
        p.stages = kept
        for _, stage in ipairs(kept) do
            local is_derived = false
            for _, array in c.next, stage.given do is_derived = is_derived or array.maker ~= nil end
            if is_derived then remake(stage, derived(stage)) elseif stage.stored then remake(stage, stage.plain, stage.given) end
        end
    end
end
