-- fuse.lua - carries out the cut of a pipeline: which of its operations are one kernel.
--
-- A kernel is one operation of the pipeline, its root, and maps; or several scans, or reductions, in the place of one (join.lua). Maps that the
-- root reads are none of their own: the root reads what they are made of, and derives their elements (generated.lua). Of a scan or map the kernel may
-- store other maps, too: of what the root returns, or of what the kernel reads; of compact and unique of what is kept, of a sort of what it
-- returns. They are further outputs of the root, which need not write what nobody else reads. A map of several outputs is cut as a map of each.
--
-- The cut is found by the C side (gen/cut, gen/spec/written.c), which is told here what each operation can be part of.

local rawtype = type

return function(v)
    local c = v.c
    local numbers = c.numbers

    -- ---- what operations can be part of ----

    -- Words that have names of their own for what they read of each element; all others have `input` or `inputs`.
    local OWN_NAMES = { reduce_by_key = { "keys", "values" }, sort = { "keys" } }
    -- What is in memory whatever the kernel computes: what a sort carries along, and what segments are found by.
    local IN_MEMORY = { sort = "values", segmented_scan = "segments", segmented_reduce = "segments" }

    local function has_source(t)
        for _, value in c.next, t do
            if v.source_of(value) then return true end
            if rawtype(value) == "table" and not v.record_of(value) and has_source(value) then return true end
        end
        return false
    end

    -- A stage's inputs, as they are written: { { name that functions know it by, array }, .. } in their order; nil: they are not all arrays.
    local function list_inputs(stage)
        if stage.t.input ~= nil then return { { "in", stage.given["in"] } } end
        local list = {}
        for _, name in ipairs(OWN_NAMES[stage.word] or {}) do list[#list + 1] = { name, stage.given[name] } end
        for _, entry in ipairs(stage.t.inputs and v.listed_inputs(stage.word, stage.t.inputs) or {}) do
            if not stage.given[entry[1]] then return nil end -- generated
            list[#list + 1] = { entry[1], stage.given[entry[1]] }
        end
        return #list > 0 and list or nil
    end

    -- Whether the stage is a map that others can compute: of one output, of the element and its index alone, without knobs of its own.
    local function is_computed(stage)
        local t = stage.t
        return stage.word == "map" and t.output ~= nil and t.tune == nil and v.parameters_of(t.output) <= 2 and not has_source(t)
            and stage.inputs ~= nil and #stage.made == 1 and stage.made[1].of == stage.of
    end

    -- Whether the stage is a map of several outputs of which each could be a map of its own that others compute, and another stage reads one.
    local function can_part(p, stage)
        local t, is_read = stage.t, false
        if stage.word ~= "map" or not t.outputs or t.tune ~= nil or has_source(t) or not stage.inputs then return false end
        for _, output in ipairs(v.list_outputs("map", t)) do
            if output.keep ~= nil or output.at ~= nil or v.parameters_of(output.value) > 2 then return false end
        end
        for _, user in ipairs(p.stages) do
            for _, input in ipairs(user.inputs or {}) do is_read = is_read or input[2].stage == stage end
        end
        return #stage.made > 1 and is_read
    end

    -- Leaves the part the inputs that its function uses, or one.
    local function drop_inputs(part, remake)
        local used, first, listed, given, t = {}, 0, {}, {}, part.t
        for k, input in ipairs(t.inputs and part.inputs or {}) do
            local leaves = input[2].type.leaves
            if c.uses(part.map, 0, first, leaves) or (#used == 0 and k == #part.inputs) then used[#used + 1] = input end
            first = first + leaves
        end
        if not t.inputs or #used == #part.inputs then return end
        part.plain.inputs = {}
        for k, input in ipairs(used) do
            part.plain.inputs[k], given[input[1]] = { input[1], input[2].type.object }, input[2]
        end
        for _, entry in ipairs(v.listed_inputs("map", t.inputs)) do if given[entry[1]] then listed[#listed + 1] = entry end end
        part.inputs, t.inputs = used, listed
        remake(part, part.plain, given)
    end

    -- The maps that it consists of, of those outputs that anybody uses.
    local function parts_of(p, whole, remake)
        local parts = {}
        for _, output in ipairs(v.list_outputs("map", whole.t)) do
            local array, name = whole.writes[output.name], whole.name .. "_" .. output.name
            while p.stage_lines[name] do name = name .. "_" end
            if array.is_used then
                local part = { word = "map", line = whole.line, name = name, of = whole.of, room = whole.room, made = { array },
                    writes = { out = array }, t = {}, plain = {}, inputs = whole.inputs, whole = whole }
                for key, value in c.next, whole.t do part.t[key] = value end
                for key, value in c.next, whole.plain do part.plain[key] = value end
                for _, t in ipairs { part.t, part.plain } do t.name, t.outputs, t.output = nil, nil, output.value end
                p.stage_lines[name] = whole.line
                remake(part, part.plain, whole.given)
                drop_inputs(part, remake)
                parts[#parts + 1] = part
            end
        end
        return parts
    end

    -- The stages, with parts in the place of maps of several outputs where there is room for as many. And the number of each one's parts.
    local function with_parts(p, remake)
        local list, counts, room = {}, {}, numbers.max_stages - #p.stages
        for _, stage in ipairs(p.stages) do
            local parts = can_part(p, stage) and #stage.made - 1 <= room and parts_of(p, stage, remake) or { stage }
            room, counts[stage] = room - #parts + 1, #parts
            for _, part in ipairs(parts) do list[#list + 1] = part end
        end
        return list, counts
    end

    -- The functions of a stage's outputs, as v.list_outputs has them, all of one number of elements; nil: it has none, or others.
    local HAS_OUTPUTS = { map = true, scan = true, segmented_scan = true, reduce = true, compact = true, unique = true }
    local PACKS = { compact = true, unique = true }
    local function outputs_of(stage)
        if not HAS_OUTPUTS[stage.word] or has_source(stage.t) or not stage.inputs then return nil end
        local outputs = v.list_outputs(stage.word, stage.t) or { { name = "out", value = function(s) return s end } }
        for _, output in ipairs(outputs) do if output.keep ~= nil or output.at ~= nil then return nil end end
        return outputs
    end

    -- has_strategy: all stages have one, which may not serve every kernel.
    local function abilities_of(stage, has_strategy)
        local abilities = 0
        if is_computed(stage) then
            abilities = numbers.is_computed
            if v.parameters_of(stage.t.output) < 2 then abilities = abilities | numbers.has_no_index end
        end
        if not has_source(stage.t) and stage.inputs then abilities = abilities | numbers.derives end
        stage.outputs = outputs_of(stage)
        if stage.word == "sort" and not has_source(stage.t) then abilities = abilities | numbers.stores end
        if not stage.t.tune and stage.outputs then
            if PACKS[stage.word] then abilities = abilities | numbers.packs
            elseif stage.word ~= "reduce" then abilities = abilities | numbers.stores end
            if (stage.word == "scan" or stage.word == "reduce") and v.can_join(stage, stage.outputs) then abilities = abilities | numbers.joins end
            if stage.word == "scan" and not has_strategy then abilities = abilities | numbers.follows end
        end
        return abilities
    end

    -- ---- the pipeline as it is written ----

    -- Arrays that nothing makes, then what each stage makes, in the order of its buffers; the index of each, from 1.
    local function number_all(p)
        local list, index = {}, {}
        local function add(array)
            list[#list + 1] = array
            index[array] = #list
        end
        for _, array in ipairs(p.arrays) do if not array.stage then add(array) end end
        for _, stage in ipairs(p.stages) do
            for b, buffer in ipairs(stage.buffers) do if buffer.role == numbers.role_out then add(stage.arrays[b]) end end
        end
        return list, index
    end

    local function describe(p, list, index)
        local rooms = {} -- by number of elements: the first array that has it
        for k, array in ipairs(list) do if array.room and not array.of then rooms[array.room] = rooms[array.room] or k end end
        local function domain_of(of, room)
            if of == nil then return rooms[room] and numbers.domain_counted + rooms[room] - 1 or numbers.domain_n end
            return index[of] and numbers.domain_counted + index[of] - 1 or numbers.domain_one
        end
        local arrays, stages = {}, {}
        local has_strategy = rawtype(p.defaults.tune) == "table" and p.defaults.tune.strategy ~= nil
        for k, array in ipairs(list) do
            arrays[k] = { name = array.output or array.name, type = array.type.handle, domain = domain_of(array.of, array.room), room = array.room,
                is_output = array.output ~= nil }
        end
        for k, stage in ipairs(p.stages) do
            local indices, in_memory = {}, 0
            for b, buffer in ipairs(stage.buffers) do
                indices[b] = index[stage.arrays[b]] - 1
                if buffer.name == IN_MEMORY[stage.word] then in_memory = b end
            end
            stages[k] = { handle = stage.handle, domain = domain_of(stage.of, stage.room), abilities = abilities_of(stage, has_strategy),
                arrays = indices, in_memory = in_memory, is_next_part = k > 1 and stage.whole ~= nil and stage.whole == p.stages[k - 1].whole }
        end
        return { arrays = arrays, stages = stages }
    end

    -- ---- a kernel ----

    -- A kernel, { root, stages, .. }. new_kernel sets: scans = { stage, .. }, those that are no maps; stored = { map, .. }, those whose results
    -- are stored; makers = { [array] = the map that makes it }; writes = { [array] = true }; and what others fill: found (making.lua), joined
    -- and of_scans (join.lua). set_names: inputs, those of the root; segments, its array, if any; is_own = { [array] = true }, results of scans;
    -- bases, all arrays that it reads; names = { [base] = what functions call it }; taken = { [name] = true }; reads_segments, whether maps do;
    -- is_single, whether the root has `input`; is_plain, whether its element is that of one array.
    local function new_kernel(p, list, of_cut)
        local kernel = { makers = {}, writes = {}, stages = {}, stored = {}, scans = {}, joined = {}, found = {}, of_scans = {} }
        for k, number in ipairs(of_cut.operations) do
            local stage = p.stages[number]
            kernel.stages[k] = stage
            if not is_computed(stage) then kernel.scans[#kernel.scans + 1] = stage end
            if k == #of_cut.operations and not kernel.root or not is_computed(stage) then kernel.root = stage end
        end
        for _, number in ipairs(of_cut.writes) do kernel.writes[list[number]] = true end
        for _, stage in ipairs(kernel.stages) do
            if stage ~= kernel.root and is_computed(stage) then
                kernel.makers[stage.made[1]] = stage
                if kernel.writes[stage.made[1]] then kernel.stored[#kernel.stored + 1] = stage end
            end
        end
        return kernel
    end

    -- Arrays in memory that make the array: itself, or of what the kernel computes the inputs, each once. Not what says where segments begin, which
    -- the kernel reads in any case.
    local function add_bases(kernel, array, bases, seen)
        if seen[array] or kernel.is_own[array] then return end
        seen[array] = true
        if array == kernel.segments then kernel.reads_segments = true return end
        if not kernel.makers[array] then bases[#bases + 1] = array return end
        for _, input in ipairs(kernel.makers[array].inputs) do add_bases(kernel, input[2], bases, seen) end
    end

    -- A name that no other array of the kernel has.
    function v.new_name(taken, name)
        name = name:sub(1, 48) -- an identifier has at most 64 characters
        while taken[name] or v.is_own_name(name) do name = name .. "_" end
        taken[name] = true
        return name
    end

    -- Names that no array of a kernel can have that its root does not call so: operations' own, those of uniforms, of the root's results.
    local OWN = { "in", "keys", "values", "segments", "segment_count", "keys_out", "values_out", "count" }
    local function taken_names(kernel)
        local taken = {}
        for _, name in ipairs(OWN) do taken[name] = true end
        for _, stage in ipairs(kernel.stages) do
            for _, buffer in ipairs(stage.buffers) do if buffer.role == numbers.role_uniform then taken[buffer.name] = true end end
        end
        if #kernel.scans < 2 then for name in c.next, kernel.root.writes do taken[name] = true end end
        return taken
    end

    local function set_names(kernel)
        local seen, taken, bases, names, root = {}, taken_names(kernel), {}, {}, kernel.root
        kernel.inputs, kernel.is_own, kernel.segments = root.inputs, {}, IN_MEMORY[root.word] == "segments" and root.given.segments or nil
        if kernel.segments then names[kernel.segments] = "segments" end
        for _, scan in ipairs(#kernel.scans > 0 and kernel.scans or { root }) do
            for _, array in ipairs(scan.made) do kernel.is_own[array] = true end
        end
        for _, input in ipairs(#kernel.scans < 2 and kernel.inputs or {}) do
            add_bases(kernel, input[2], bases, seen)
            if not kernel.makers[input[2]] then names[input[2]] = names[input[2]] or input[1] end
            taken[input[1]] = true
        end
        for _, scan in ipairs(#kernel.scans > 1 and kernel.scans or {}) do
            for _, input in ipairs(scan.inputs) do add_bases(kernel, input[2], bases, seen) end
        end
        for _, map in ipairs(kernel.stored) do add_bases(kernel, map.made[1], bases, seen) end
        for k, base in ipairs(bases) do
            names[base] = names[base] or v.new_name(taken, ("%s_of_%d"):format(base.name:sub(1, 40), k))
        end
        kernel.bases, kernel.names, kernel.taken, kernel.is_single = bases, names, taken, root.t.input ~= nil
        kernel.is_plain = kernel.is_single and #bases == 1 and not kernel.reads_segments -- its element is that of the array itself
    end

    -- ---- maps where they are read ----

    -- The table of a sort by what maps make of one array, and the arrays by buffer.
    local function derived_sort(kernel)
        local t, root, base = {}, kernel.root, kernel.bases[1]
        for key, value in c.next, root.plain do t[key] = value end
        local make, of_root = v.derivation(kernel, kernel.inputs[1][2]), root.t.map
        root.makes_keys = true
        t.input, t.map = base.type.object, v.taking(2, function(x, i)
            local key = make { of = function() return x end, i = i, made = {} }
            return of_root and of_root(key, i) or key
        end)
        return t, { ["in"] = base, values = root.given.values }
    end

    -- The root's table with what is derived in the place of arrays that it does not read, and the arrays by buffer.
    local function derived(kernel)
        local t, given, list, names, shown = {}, {}, {}, kernel.names, {}
        for key, value in c.next, kernel.root.plain do t[key] = value end
        for _, input in ipairs(kernel.inputs) do
            local array = input[2]
            local is_shown = names[array] == input[1]
            list[#list + 1] = is_shown and { input[1], array.type.object }
                or { input[1], array.type.object, derive = v.derivation(kernel, array) }
            if is_shown then shown[array] = true end
        end
        for _, base in ipairs(kernel.bases) do
            if not shown[base] then list[#list + 1] = { names[base], base.type.object, hidden = true } end
            given[names[base]] = base
        end
        if kernel.reads_segments then list[#list + 1] = { "segments", kernel.segments.type.object, hidden = true, is_there = true } end
        list.is_single = kernel.is_single
        if kernel.is_plain then given = { ["in"] = kernel.bases[1] } end
        given.segments = kernel.segments or given.segments
        if not v.takes_parameter(kernel.root.word, "inputs") then kernel.root.derived = list
        else t.input, t.inputs = nil, list end
        return t, given
    end

    -- ---- maps where results are stored ----

    -- Which of the parameters of a root's outputs is the element: some have the state before it.
    local SCANS = { scan = true, segmented_scan = true }
    local function element_place(root) return SCANS[root.word] and 2 or 1 end

    -- What makes an element of the array: e.x is the kernel's element, e.arguments what functions of the root's outputs get. And how many of the
    -- latter it needs.
    local storing
    storing = v.once_each(function(kernel, array, outputs)
        local root = kernel.root
        local map, name, is_single, is_plain = kernel.makers[array], kernel.names[array], kernel.is_single, kernel.is_plain
        for _, output in ipairs(outputs) do
            if root.writes[output.name] == array then
                local value, T, coerce, unpack = output.value, array.type, v.coerce, table.unpack
                return function(e) return coerce(T, value(unpack(e.arguments, 1, e.arguments.n)), "output: the result") end, v.parameters_of(value)
            end
        end
        local first = element_place(root)
        for _, input in ipairs(kernel.inputs) do
            if input[2] == array then
                local of_root = input[1]
                return function(e)
                    local x = e.arguments[first]
                    if is_single then return x end
                    return x[of_root]
                end, first
            end
        end
        if not map then
            return function(e) if is_plain then return e.x end return e.x[name] end, first
        end
        local makers, most = {}, v.parameters_of(map.t.output) > 1 and first + 1 or 1
        for k, input in ipairs(map.inputs) do
            local count
            makers[k], count = storing(kernel, input[2], outputs)
            most = math.max(most, count)
        end
        return v.of_inputs(map, makers), most
    end)

    -- Sets what the root, by the table t, writes: its own results that are needed, then the maps'. Of one its function, of several a list.
    local function set_outputs(kernel, t)
        local root, list, writes, outputs = kernel.root, {}, {}, outputs_of(kernel.root)
        for _, output in ipairs(outputs) do
            local array = root.writes[output.name]
            if kernel.writes[array] then
                list[#list + 1], writes[output.name] = { output.name, value = output.value }, array
            end
        end
        for _, map in ipairs(kernel.stored) do
            local name, make, count = v.new_name(kernel.taken, map.name), storing(kernel, map.made[1], outputs)
            local first = element_place(root)
            local function of_arrays(x, ...)
                local arguments = table.pack(...)
                return make { x = x, arguments = arguments, i = arguments[first + 1], made = {} }
            end
            local function of_root(...) return of_arrays((select(first, ...)), ...) end -- its element is the kernel's
            list[#list + 1], writes[name] = { name, value = v.of_arrays(v.named_alike(v.taking(count, of_root)), of_arrays) }, map.made[1]
        end
        if #list == 1 and root.t.input ~= nil then
            t.output, t.outputs, writes = list[1].value, nil, { out = writes[list[1][1]] }
        else
            t.output, t.outputs = nil, list
        end
        if PACKS[root.word] then writes.count = root.writes.count end
        root.writes = writes
    end

    -- What makes an element of the array: e.key, e.value, if there is one, and e.i, the place.
    local of_sorted
    of_sorted = v.once_each(function(kernel, array)
        local writes, makers = kernel.root.writes, {}
        if array == writes.keys_out then return function(e) return e.key end end
        if array == writes.values_out then return function(e) return e.value end end
        for k, input in ipairs(kernel.makers[array].inputs) do makers[k] = of_sorted(kernel, input[2]) end
        return v.of_inputs(kernel.makers[array], makers)
    end)

    -- What a sort stores beside its own outputs, which it writes where somebody reads them.
    local function set_results(kernel)
        local root, results = kernel.root, {}
        local last = root.writes.values_out and 3 or 2
        for k, map in ipairs(kernel.stored) do
            local name, make = #kernel.stored == 1 and "out" or v.new_name(kernel.taken, map.name), of_sorted(kernel, map.made[1])
            local function of_root(key, ...)
                local value, i = ...
                if last == 2 then value, i = nil, value end
                return make { key = key, value = value, i = i, made = {} }
            end
            results[k], root.writes[name] = { name = name, value = v.named_alike(v.taking(last, of_root)) }, map.made[1]
        end
        root.results = results
    end

    -- The stage of which the kernel has all parts, an output each, which read all of its inputs, and nothing else; nil: there is none.
    local function whole_of(kernel, counts)
        local whole, is_read = kernel.stages[1].whole, {}
        for _, stage in ipairs(kernel.stages) do
            if not whole or stage.whole ~= whole then return nil end
            for _, input in ipairs(stage.inputs) do is_read[input[2]] = true end
        end
        for _, input in ipairs(whole.inputs) do if not is_read[input[2]] then return nil end end
        return #kernel.stages == counts[whole] and counts[whole] == #whole.made and whole or nil
    end

    -- Makes the root anew, where it is not all that the kernel has.
    local function build(kernel, remake)
        if #kernel.stages == 1 then return end
        local root = kernel.root
        set_names(kernel)
        if #kernel.scans > 1 then
            local t, given, writes, second = v.joined_scan(kernel)
            root.writes, root.second = writes, second
            remake(root, t, given)
            return
        end
        local is_derived = kernel.reads_segments
        for _, base in ipairs(kernel.bases) do
            local is_own = false
            for _, input in ipairs(kernel.inputs) do is_own = is_own or input[2] == base end
            is_derived = is_derived or not is_own
        end
        for _, input in ipairs(kernel.inputs) do is_derived = is_derived or kernel.makers[input[2]] ~= nil end
        local t, given
        if is_derived and root.word == "sort" then t, given = derived_sort(kernel)
        elseif is_derived then t, given = derived(kernel)
        else
            t, given = {}, root.given
            for key, value in c.next, root.plain do t[key] = value end
        end
        if #kernel.stored > 0 and root.word == "sort" then set_results(kernel)
        elseif #kernel.stored > 0 then set_outputs(kernel, t) end
        remake(root, t, given)
    end

    -- ---- the whole ----

    -- The roots, each behind those that make what it reads; of those that could be next the first that was written.
    local function in_order(p, roots)
        local made, order, is_placed = {}, {}, {}
        for _, array in ipairs(p.arrays) do made[array] = not array.stage or nil end
        while #order < #roots do
            local placed = #order
            for _, stage in ipairs(roots) do
                local is_ready = not is_placed[stage] and (not stage.of or made[stage.of])
                for b, buffer in ipairs(stage.buffers) do
                    is_ready = is_ready and (buffer.role == numbers.role_out or made[stage.arrays[b]])
                end
                if is_ready then
                    order[#order + 1], is_placed[stage] = stage, true
                    for _, array in c.next, stage.writes do made[array] = true end
                    break
                end
            end
            assert(#order > placed, "an array of the pipeline that a kernel reads is written by none")
        end
        return order
    end

    -- Arrays between operations that are still there: those that are read.
    local function set_used(p)
        for _, array in ipairs(p.arrays) do if array.stage then array.is_used = array.output ~= nil end end
        for _, stage in ipairs(p.stages) do
            for b, buffer in ipairs(stage.buffers) do if buffer.role ~= numbers.role_out then stage.arrays[b].is_used = true end end
        end
    end

    -- Cuts p. remake(stage, t, given) makes an operation of it anew. fuses: else each is a kernel. Returns the pipeline as it was written.
    function v.cut_pipeline(p, remake, fuses)
        for _, stage in ipairs(p.stages) do stage.inputs = list_inputs(stage) end
        local stages, counts = p.stages, {}
        if fuses then p.stages, counts = with_parts(p, remake) end
        local list, index = number_all(p)
        local written, kernels = c.cut(describe(p, list, index), fuses)
        local roots, is_root = {}, {}
        for k, of_cut in ipairs(kernels) do
            local kernel = new_kernel(p, list, of_cut)
            local whole = whole_of(kernel, counts)
            if not whole then build(kernel, remake) end
            local root = whole or kernel.root
            is_root[root], root.kernel = true, k
        end
        if #kernels == 0 then p.stages = stages return written end
        for _, stage in ipairs(p.stages) do
            local whole = stage.whole and is_root[stage.whole] and stage.whole
            if is_root[stage] then roots[#roots + 1] = stage
            elseif whole and roots[#roots] ~= whole then roots[#roots + 1] = whole end
        end
        p.stages = in_order(p, roots)
        set_used(p)
        return written
    end
end
