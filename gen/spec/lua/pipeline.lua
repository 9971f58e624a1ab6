-- pipeline.lua - pipeline(function(p) .. end, { .. }): operations on arrays of each other.
--
-- p.scan, p.sort and so on are the functions that a spec calls outside of pipelines. Where a parameter of these names a type a pipeline gives an
-- array: the type takes its place, and the array is noted beside the buffer of that name. What the operation writes are arrays again, and single
-- values, which are uniforms of the functions of later operations.

local rawtype = type

return function(v)
    local c, spec, fail, describe = v.c, v.spec, v.fail, v.describe
    local Pipeline, Array, Results = v.new_class "pipeline", v.new_class "array", v.new_class "results"

    local numbers = c.numbers
    local MAX_STAGES, MAX_ARRAYS = numbers.max_stages, numbers.max_arrays -- of callers, and as many between operations
    local IN, OUT, UNIFORM = numbers.role_in, numbers.role_out, numbers.role_uniform
    local BETWEEN = UNIFORM + 1 -- of no caller
    local LENGTH_N, LENGTH_ONE, LENGTH_COUNTED = numbers.length_n, numbers.length_one, numbers.length_counted
    local LENGTH_REST, LENGTH_GIVEN = numbers.length_rest, numbers.length_given
    local LENGTH_SCATTERED, LENGTH_FIXED = numbers.length_scattered, numbers.length_fixed
    local LENGTH_OFFSETS, MOST_ELEMENTS = numbers.length_offsets, 0x7fffffff

    local pipeline -- whose function runs; nil: none does
    local remake

    local function copy(t)
        local new = {}
        for key, value in c.next, t do new[key] = value end
        return new
    end

    -- What a call under pcall changes of what was there before it, so that a call that fails leaves no trace: a table, its key, and what was there,
    -- or the table and a copy of it. Only these functions change such tables while p's function runs. nil: no pcall is under way.
    local journal

    local function put(t, key, value)
        if journal then journal[#journal + 1] = { t, key, t[key] } end
        t[key] = value
    end
    local function append(list, x) put(list, #list + 1, x) end
    -- Before fields of a record are changed.
    local function keep(record) if journal then journal[#journal + 1] = { record, nil, copy(record) } end end
    local function use(array) if not array.is_used then put(array, "is_used", true) end end

    local function undo(entry)
        local t, key, old = entry[1], entry[2], entry[3]
        if key == nil then
            for field in c.next, t do t[field] = old[field] end
            for field, value in c.next, old do t[field] = value end
            return
        end
        if t == pipeline.arrays then t[key].pipeline = nil end -- users may hold it
        t[key] = old
    end

    -- The pipeline, and how long the journal is; nil: none runs, or nobody keeps one yet.
    function v.running_pipeline()
        local length = journal and #journal
        if pipeline and not journal then journal = {} end
        return pipeline, length
    end
    -- What the call, before which these were outer and length, has changed stays where it is_right, else it is undone.
    function v.leave_pipeline(outer, length, is_right)
        pipeline = outer
        for k = outer and not is_right and #journal or 0, (length or 0) + 1, -1 do
            undo(journal[k])
            journal[k] = nil
        end
        if not length then journal = nil end
    end

    -- ---- arrays ----

    -- An array's record: { pipeline, name, type, line, of, room, is_rest, is_used, output = name | nil }. Its elements are as many as `of` says, an
    -- array that holds that number, or ONE; nil: all that there is room for. There is room for n, or for `room`, a number of its own.
    local ONE = {}

    function Array.__index(object, key)
        if rawtype(key) ~= "string" then v.refuse_index(tostring(object)) end
        fail("array '%s' has no '%s'; an operation with several outputs has them by name, this is one of them", v.record_of(object, Array).name,
            tostring(key))
    end
    function Array.__tostring(object) return "the array " .. v.record_of(object, Array).name end
    local function refuse(object, other)
        local record = v.record_of(object, Array) or v.record_of(other, Array)
        fail("'%s' is an array; write p.map({ %s }, function(x) .. end), which computes with its elements", record.name, record.name)
    end
    for _, name in ipairs { "add", "sub", "mul", "div", "mod", "pow", "unm", "idiv", "band", "bor", "bxor", "shl", "shr", "bnot", "lt", "le",
        "concat", "call", "len" } do
        Array["__" .. name] = refuse
    end

    function Results.__index(object, key)
        local results = v.record_of(object, Results)
        if rawtype(key) == "string" and results.by_name[key] ~= nil then return results.by_name[key] end
        fail("%s has no output '%s'; it has %s", results.name, tostring(key), table.concat(results.names, ", "))
    end
    function Results.__tostring(object) return "the outputs of " .. v.record_of(object, Results).name end

    local function new_array(name, T, fields)
        local array = { pipeline = pipeline, name = name, type = T, line = c.line() }
        for key, value in c.next, fields or {} do array[key] = value end
        append(pipeline.arrays, array)
        return array
    end

    function v.refuse_results(what, x)
        local results = v.record_of(x, Results)
        if results then fail("%s: %s has several outputs; name one, as in .%s", what, results.name, results.names[1]) end
    end

    -- The record of the array x, or of the value that an operation of the pipeline has made.
    local function array_of(what, x)
        local uniform = v.uniform_of(x)
        local array = v.record_of(x, Array) or (uniform and uniform.array)
        v.refuse_results(what, x)
        if not array then fail("%s is %s; give an array of the pipeline, as p.input(\"x\", f32) makes one", what, describe(x)) end
        if array.pipeline ~= pipeline then fail("%s: '%s' is an array of another pipeline; give one of this", what, array.name) end
        use(array)
        return array
    end

    function v.is_array(x)
        local uniform = v.uniform_of(x)
        return v.record_of(x, Array) ~= nil or v.record_of(x, Results) ~= nil or (uniform ~= nil and uniform.array ~= nil)
    end

    -- Fails where a function uses a value of a pipeline outside of it.
    function v.check_uniform_of_pipeline(u)
        if not u.array then return end
        if u.array.pipeline ~= pipeline then
            fail("'%s' is a value of a pipeline; only functions of its later operations may use it", u.name)
        end
        use(u.array)
    end

    -- ---- how long arrays are ----

    local function length_text(array)
        if array.of == ONE then return "one element" end
        if not array.of then return (array.room and "%d elements" or "n elements"):format(array.room) end
        return ("'%s' elements"):format(array.of.name)
    end

    -- The array's number of elements, of which a partition tells what it keeps alone, is counted, too.
    local function count_rest(array)
        local stage = array.stage
        if not array.is_rest then return end
        local count = new_array(stage.name .. "_rest_count", v.scalars.u64, { of = ONE, is_value = true, stage = stage })
        keep(stage)
        keep(array)
        stage.made, stage.writes, stage.counts_rest = copy(stage.made), copy(stage.writes), true -- the old ones may be given back
        stage.made[#stage.made + 1], stage.writes.rest_count = count, count
        array.of, array.is_rest = count, false
        remake(stage, stage.plain, stage.given)
    end

    -- What all of these arrays have as their number of elements, and the room for them.
    local function common_domain(word, list)
        local first = list[1]
        for _, array in ipairs(list) do
            if array.segments then fail("%s: '%s' has offsets of segments; give it as offsets = %s", word, array.name, array.name) end
            if array.of == ONE then fail("%s: '%s' is one element, no array; use it in functions, as a number", word, array.name) end
            count_rest(array)
            if array.of ~= first.of or array.room ~= first.room then
                fail("%s: '%s' has %s but '%s' has %s; all arrays of an operation have one length", word, first.name, length_text(first), array.name,
                    length_text(array))
            end
        end
        if first then return first.of, first.room end
    end

    -- ---- operations ----

    -- { { name, array }, .. } of { name = array, .. }.
    function v.listed_inputs(word, inputs)
        if rawtype(inputs) ~= "table" or v.record_of(inputs) then
            fail("%s: inputs is %s; write inputs = { x = x, y = y }", word, describe(inputs))
        end
        if #inputs > 0 then return inputs end
        local list = {}
        for _, key in ipairs(v.sorted_keys(inputs)) do list[#list + 1] = { key, inputs[key] } end
        return list
    end

    -- Fails where the parameter `name` says another type than the array has that is given as `by`; returns the parameter, or the array's type.
    local function take_type(word, t, by, name, array)
        if t[name] == nil then return array.type.object end
        if t[name] == "index" then fail("p.%s: %s = \"index\", but %s are given; leave one of them out", word, name, by) end
        local T = name == "key" and word == "sort" and v.key_of(t[name]).type or v.stored_type(t[name], ("%s: %s"):format(word, name))
        if not v.same_type(T, array.type) then
            fail("p.%s: %s are %s, but %s is %s; leave %s out%s", word, by, array.type.name, name, T.name, name,
                v.is_key(t[name]) and ", or give it the type " .. array.type.name or "")
        end
        return t[name]
    end

    -- The array of flags or keys that says where segments begin, in the place of the word for it and of its type.
    local function take_segments(word, t, plain, take)
        local given = {}
        for _, name in ipairs { "flags", "keys", "offsets" } do if t[name] ~= nil then given[#given + 1] = name end end
        local by = given[1]
        if #given ~= 1 then
            fail("p.%s: %s; write flags =, keys = or offsets = an array of the pipeline", word,
                by and ("both %s and %s are given"):format(by, given[2]) or "nothing says where segments begin")
        end
        if t.segments ~= nil and t.segments ~= by then
            fail("p.%s: segments is %s, but %s are given; leave segments out", word, v.shown_word(t.segments), by)
        end
        local array = take("segments", t[by], by)
        plain.segments, plain[by] = by, nil
        if by == "keys" then plain.key = take_type(word, t, by, "key", array)
        elseif by == "offsets" and array.segments then return
        elseif by == "offsets" and array.role ~= IN then
            fail("p.%s: offsets: '%s' is made in the pipeline, where nothing makes offsets; make them before, or give flags or keys", word,
                array.name)
        elseif by == "offsets" then
            fail("p.%s: offsets: '%s' is no input of offsets; write p.input(\"%s\", u64, { segments = the most that there may be })", word,
                array.name, array.name)
        elseif array.type ~= v.scalars.u8 then
            fail("p.%s: flags: '%s' is an array of %s; make it one of u8, as in p.map({ x }, function(x) return u8(..) end)", word,
                array.name, array.type.name)
        end
    end

    -- t with types in the place of arrays, and the arrays by the names of their buffers.
    local function without_arrays(word, t)
        if rawtype(t) ~= "table" or v.record_of(t) then fail("p.%s: expected a table, not %s; write p.%s { .. }", word, describe(t), word) end
        local plain, arrays = copy(t), {}
        local function take(buffer, x, what)
            local array = array_of(("%s: %s"):format(word, what), x)
            arrays[buffer] = array
            return array
        end
        for _, name in ipairs { "key", "value" } do
            if t[name] ~= nil and v.is_array(t[name]) and v.takes_parameter(word, name) then
                fail("p.%s: %s is %s; write %ss = that array, and no type", word, name, describe(t[name]), name)
            end
        end
        if word == "sort" and t.keys == nil and t.map == nil then
            fail("p.sort: keys are missing; write keys = an array of the pipeline%s", t.input ~= nil and " in the place of input" or "")
        end
        if t.input ~= nil then plain.input = take("in", t.input, "input").type.object end
        if t.inputs ~= nil then
            plain.inputs = {}
            for k, entry in ipairs(v.listed_inputs(word, t.inputs)) do
                local is_entry = rawtype(entry) == "table" and not v.record_of(entry)
                local is_array = is_entry and rawget(entry, "generate") == nil
                local name = is_array and tostring(entry[1])
                if is_array and #v.sorted_keys(entry) > 2 then
                    fail("p.%s: inputs: '%s' has more than a name and an array; write { \"%s\", array }, which has the array's type", word, name,
                        name)
                end
                plain.inputs[k] = is_array and { entry[1], take(name, entry[2], ("inputs: '%s'"):format(name)).type.object } or entry
            end
        end
        if v.takes_parameter(word, "segments") then take_segments(word, t, plain, take) end
        for _, entry in ipairs(v.takes_parameter(word, "segments") and {} or { { "keys", "key" }, { "values", "value" } }) do
            local by, name = entry[1], entry[2]
            if t[by] ~= nil and v.takes_parameter(word, name) then
                plain[by], plain[name] = nil, take_type(word, t, by, name, take(by, t[by], by))
            end
        end
        for _, name in ipairs { "tune", "deterministic" } do
            if plain[name] == nil then plain[name] = pipeline.defaults[name] end
        end
        return plain, arrays
    end

    -- What p has of an operation's outputs: of one the array or value itself.
    local function results_of(stage, outputs)
        local results = { name = stage.name, by_name = {}, names = {} }
        for k, output in ipairs(outputs) do results.by_name[output.buffer], results.names[k] = output.value, output.buffer end
        return #outputs == 1 and outputs[1].value or v.new_object(Results, results)
    end

    local function zero_of(T)
        if T.kind == "scalar" then return T.object(0) end
        local parts = {}
        for k = 1, v.part_count(T) do parts[k] = zero_of(v.part_type(T, k)) end
        return T.object(table.unpack(parts))
    end

    -- Files, kernels and options are called after operations.
    local function take_stage_name(name)
        if pipeline.stage_lines[name] then fail("pipeline: two operations are called '%s'; give each a name = \"..\" of its own", name) end
        put(pipeline.stage_lines, name, c.line())
    end

    -- What zeroes the array before the stage writes elements of it: those that it does not write are then known. A map of indices.
    local function add_zeros(stage, array)
        local T = array.type
        local op = v.make_operation("map", { inputs = { { "i", generate = function(i) return i end } }, output = function() return zero_of(T) end })
        op.line, op.word = stage.line, "map (zeros)"
        local name = array.name .. "_zeros"
        while pipeline.stage_lines[name] do name = name .. "_" end
        take_stage_name(name)
        local zeros = { word = "map", line = stage.line, name = name, of = not array.room and array.of or nil, room = array.room, made = { array },
            writes = {}, given = {}, t = {}, plain = {} }
        zeros.handle, zeros.buffers = c.stage(op, name)
        zeros.arrays = { array }
        for k, other in ipairs(pipeline.stages) do
            local is_written = false
            for _, written in c.next, other.writes do is_written = is_written or written == array end
            if is_written then table.insert(pipeline.stages, k, zeros) break end
        end
    end

    -- The array that an operation writes as that buffer, and what users hold of it.
    local function new_output(stage, buffer, name, made)
        local T, length = v.type_of_handle(buffer.type), buffer.length
        if length == LENGTH_ONE then
            if v.uniform_named(name, pipeline) then -- functions know both by their names
                fail("p.%s: its result '%s' has the name of another value or uniform; call the operation otherwise, by name = \"..\"",
                    stage.word, name)
            end
            local array = new_array(name, T, { of = ONE, is_value = true })
            return array, v.new_uniform(name, T, array).value
        end
        local of, room = stage.of, stage.room
        if length >= LENGTH_COUNTED and length < LENGTH_GIVEN then
            of = made[(length - LENGTH_COUNTED) % (LENGTH_REST - LENGTH_COUNTED) + 1] -- it comes behind: see below
        elseif stage.word == "append" then
            if length == LENGTH_SCATTERED and of then
                fail("append: there is room for as many items as '%s' says, a number that only the device knows; give capacity = a whole number",
                    of.name)
            end
            room = length >= LENGTH_FIXED and length - LENGTH_FIXED or room
            of = stage.made[1]
            of.tells_loss = true
        elseif length >= LENGTH_FIXED then of, room = nil, length - LENGTH_FIXED
        elseif length >= LENGTH_GIVEN and stage.word == "segmented_reduce" then of, room = stage.offsets.count, stage.offsets.segments
        elseif length >= LENGTH_GIVEN then
            fail("%s: '%s' has as many elements as a uniform says, for which no room can be made; give length = a whole number, or none for n",
                stage.word, buffer.name)
        end
        local array = new_array(name, T, { of = of, room = room, is_rest = length >= LENGTH_REST and length < LENGTH_GIVEN,
            is_of_counted = stage.of ~= nil or stage.room ~= nil })
        array.is_scattered = stage.word ~= "append" and (length == LENGTH_SCATTERED or length >= LENGTH_FIXED)
        return array, array.object or v.new_object(Array, array)
    end

    -- Outputs that are kept by one function have one number of elements: what the first has counts the others, too.
    local function join_counts(stage)
        local first = {}
        for _, output in ipairs(stage.t.outputs and v.list_outputs(stage.word, stage.t) or {}) do
            local array = stage.writes[output.name]
            if output.count and array then
                first[output.keep] = first[output.keep] or array.of
                array.of = first[output.keep]
            end
        end
    end

    -- Kernels read and write memory by the types of their buffers, so these must be the types of the arrays.
    local function check_buffer(stage, buffer, array)
        local T = v.type_of_handle(buffer.type)
        if v.same_type(T, array.type) then return end
        fail("p.%s: '%s' is an array of %s, but read as %s; convert it with p.map", stage.word, array.name, array.type.name, T.name)
    end

    -- What a stage's buffers are that it reads.
    local function bind_inputs(stage, buffers, arrays)
        local is_bound = {}
        stage.given, stage.buffer_count, stage.input_count = arrays, #buffers, 0
        for b, buffer in ipairs(buffers) do
            if buffer.role == IN then
                stage.arrays[b], stage.input_count = arrays[buffer.name], stage.input_count + 1
                if not stage.arrays[b] then
                    fail("%s: there is no array for '%s'; write %s = an array of the pipeline", stage.word, buffer.name, buffer.name == "in"
                        and "input" or buffer.name)
                end
                check_buffer(stage, buffer, stage.arrays[b])
                is_bound[buffer.name] = true
            elseif buffer.role == UNIFORM and stage.offsets and buffer.name == "segment_count" then
                stage.arrays[b] = stage.offsets.count
                use(stage.offsets.count)
            elseif buffer.role == UNIFORM then
                stage.arrays[b] = pipeline.uniforms[buffer.name] or v.uniform_named(buffer.name, pipeline).array
                    or new_array(buffer.name, v.type_of_handle(buffer.type), { of = ONE, role = UNIFORM, is_used = true })
                if stage.arrays[b].role == UNIFORM then put(pipeline.uniforms, buffer.name, stage.arrays[b]) end
            end
        end
        for _, name in ipairs(v.sorted_keys(arrays)) do
            if not is_bound[name] then fail("p.%s: it does not read '%s'; leave it out", stage.word, name == "in" and "input" or name) end
        end
    end

    -- The stage by another operation, which writes stage.writes.
    function remake(stage, t, arrays)
        local op = v.of_checked(v.make_operation, stage.word, t,
            { counts_rest = stage.counts_rest, inputs = stage.derived, second = stage.second, results = stage.results,
                makes_keys = stage.makes_keys })
        op.line = stage.line
        stage.map = op.map
        stage.handle, stage.buffers = c.stage(op, stage.name)
        stage.arrays = {}
        for b, buffer in ipairs(stage.buffers) do if buffer.role == OUT then stage.arrays[b] = stage.writes[buffer.name] end end
        bind_inputs(stage, stage.buffers, arrays)
    end

    local function check_stages(p)
        if #p.stages <= MAX_STAGES then return end
        c.fail_at(p.stages[MAX_STAGES + 1].line,
            ("pipeline: more than %d operations (zeroing an array that is not wholly written is one); make two pipelines of it"):format(MAX_STAGES))
    end

    -- The stage that the record op of an operation is, with arrays by buffer; returns what users hold of its outputs.
    local function add_stage(word, op, arrays, t, plain)
        local list = {}
        local by_offsets = plain.segments == "offsets" and arrays.segments or nil
        for _, name in ipairs(v.sorted_keys(arrays)) do if arrays[name] ~= by_offsets then list[#list + 1] = arrays[name] end end
        local of, room = common_domain(word, list)
        local stage = { word = word, line = op.line, of = of, room = room, offsets = by_offsets, arrays = {}, made = {}, writes = {}, plain = plain,
            t = copy(t) }
        put(pipeline, "operation_count", pipeline.operation_count + 1)
        stage.name = op.name or ("%s_%d"):format(word, pipeline.operation_count)
        take_stage_name(stage.name)
        append(pipeline.stages, stage)
        local buffers
        stage.handle, buffers = c.stage(op, stage.name)
        stage.buffers = buffers
        local outputs, count, made = {}, 0, {}
        for _, buffer in ipairs(buffers) do count = count + (buffer.role == OUT and 1 or 0) end
        for pass = 1, 2 do -- numbers of what is counted first
            for b, buffer in ipairs(buffers) do
                if buffer.role == OUT and (buffer.length == LENGTH_ONE) == (pass == 1) then
                    local name = count == 1 and stage.name or ("%s_%s"):format(stage.name, buffer.name)
                    local array, value = new_output(stage, buffer, name, made)
                    made[b], stage.arrays[b], stage.writes[buffer.name], array.stage = array, array, array, stage
                    stage.made[#stage.made + 1] = array
                    outputs[#outputs + 1] = { buffer = buffer.name, value = value, b = b }
                end
            end
        end
        table.sort(outputs, function(x, y) return x.b < y.b end)
        join_counts(stage)
        bind_inputs(stage, buffers, arrays)
        check_stages(pipeline)
        return results_of(stage, outputs)
    end

    local function check_running(p, what)
        local record = v.record_of(p, Pipeline)
        if record ~= pipeline then fail("%s: the pipeline's function is over; use p inside of it", what) end
    end

    local function add_operation(word, t)
        local plain, arrays = without_arrays(word, t)
        return add_stage(word, v.make_operation(word, plain), arrays, t, plain)
    end

    -- p.map({ x, y }, function(x, y, i) .. end): the arrays are named by their own names.
    local function add_map(t, fn)
        if fn == nil then return add_operation("map", t) end
        local list = v.record_of(t) and { t } or t
        if rawtype(list) ~= "table" or #list == 0 then fail("p.map: expected arrays, not %s; write p.map({ x }, function(x) .. end)", describe(t)) end
        if v.source_of(fn) or rawtype(fn) ~= "function" then
            fail("p.map: expected a function, not %s; write p.map({ x }, function(x) .. end)", v.source_of(fn) and "a source" or describe(fn))
        end
        if #list == 1 then return add_operation("map", { input = list[1], output = fn }) end
        local count, inputs, names, taken = c.parameters(fn), {}, {}, {}
        if count > #list + 1 then
            fail("p.map: the function takes %d values; it gets an element of each of %d arrays, and the index", count, #list)
        end
        for k, x in ipairs(list) do
            local name = array_of("p.map", x).name
            if taken[name] then name = name .. "_" .. k end
            inputs[k], names[k], taken[name] = { name, x }, name, true
        end
        local function of_record(element, i)
            local arguments = {}
            for k, name in ipairs(names) do arguments[k] = element[name] end
            arguments[#names + 1] = i
            return fn(table.unpack(arguments, 1, count))
        end
        return add_operation("map", { inputs = inputs, output = v.named_alike(v.taking(count > #list and 2 or 1, of_record)) })
    end

    -- ---- what p has ----

    -- The number of segments, no more than there is room for, as an operation of one element reads it from the caller's uniform.
    local function new_count(most)
        if pipeline.has_offsets then fail("p.input: a pipeline has one array of offsets; make two pipelines of it") end
        put(pipeline, "has_offsets", true)
        take_stage_name("count_of_segments")
        local uniform = v.segment_count()
        local op = v.make_operation("map", { inputs = { { "i", generate = function(i) return i end } },
            output = function() return v.where(v.lt(uniform.value, uniform.type.object(most)), uniform.value, uniform.type.object(most)) end })
        op.line = c.line()
        local count = new_array("segments", uniform.type, { of = ONE, is_value = true })
        local stage = { word = "map", line = op.line, name = "count_of_segments", room = 1, arrays = {}, made = { count }, writes = { out = count },
            given = {}, t = {}, plain = {} }
        count.stage = stage
        stage.handle, stage.buffers = c.stage(op, stage.name)
        for b, buffer in ipairs(stage.buffers) do if buffer.role == OUT then stage.arrays[b] = count end end
        bind_inputs(stage, stage.buffers, {})
        append(pipeline.stages, stage)
        return count
    end

    -- The caller's name of an array: the lines of p.input and p.output are where it can be mended.
    local function take_name(what, name)
        v.check_identifier(what, name)
        v.check_array_name(what, name)
        if pipeline.names[name] then fail("%s: two arrays are called '%s'; give each a name of its own", what, name) end
        put(pipeline.names, name, true)
    end

    local function add_input(name, type, length)
        take_name("p.input", name)
        local T = v.stored_type(type, "p.input")
        local is_offsets = rawtype(length) == "table" and not v.record_of(length)
        if is_offsets then v.check_keys("p.input", length, { "segments" }) end
        local room = length
        if is_offsets then room = length.segments end
        if length ~= nil and (math.type(room) ~= "integer" or room < 1 or room > MOST_ELEMENTS) then
            fail("p.input: the length of '%s' is %s; give a whole number from 1 to %d, { segments = such a number } of offsets, or none for n", name,
                math.type(room) and tostring(room) or v.shown_word(room), MOST_ELEMENTS)
        end
        if is_offsets and T ~= v.scalars.u64 then fail("p.input: '%s' has offsets of %s; write u64", name, T.name) end
        if is_offsets then return v.new_object(Array, new_array(name, T, { role = IN, segments = room, count = new_count(room) })) end
        return v.new_object(Array, new_array(name, T, { role = IN, room = room }))
    end

    local function add_output(name, x)
        take_name("p.output", name)
        if x == nil then fail("p.output: '%s' is %s; give an array of the pipeline", name, describe(x)) end
        if v.type_of(x) and not v.is_array(x) then
            fail("p.output: '%s' is %s, which no operation makes; make it in one, as in p.reduce { .., output = function(s) return .. end }",
                name, describe(x))
        end
        local array = array_of(("p.output: '%s'"):format(name), x)
        if array.role == IN then fail("p.output: '%s' is the input '%s'; the caller has it", name, array.name) end
        if array.output then fail("p.output: '%s' is the output '%s' already; give it one name", name, array.output) end
        if array.is_of_counted then count_rest(array) end
        put(array, "output", name)
        put(array, "output_line", c.line())
        append(pipeline.outputs, array)
    end

    local METHODS = { input = add_input, output = add_output, map = add_map }

    function Pipeline.__index(object, word)
        local method = METHODS[word]
        if not method and v.is_operation_word(word) then method = function(t) return add_operation(word, t) end end
        if not method then v.refuse_absent(word) end
        if not method then fail("a pipeline has no '%s'; it has input, output, %s", tostring(word), v.operation_words()) end
        return function(first, ...)
            check_running(object, "p." .. word)
            if rawequal(first, object) then fail("p:%s: write p.%s, with a dot", word, word) end
            return method(first, ...)
        end
    end

    -- ---- the whole ----

    local function check_used(p)
        for _, array in ipairs(p.arrays) do
            if array.role == IN and not array.is_used then
                c.fail_at(array.line, ("p.input: '%s' is not used; use it in an operation, or leave it out"):format(array.name))
            end
        end
        for _, stage in ipairs(p.stages) do
            local is_used = false
            for _, array in ipairs(stage.made) do is_used = is_used or array.is_used end
            if not is_used then
                c.fail_at(stage.line, ("%s: nothing uses what it makes; give it to p.output, or leave it out"):format(stage.word))
            end
        end
    end

    -- What counts elements that an operation reads is used, whoever else reads it.
    local function use_counts(p)
        for _, stage in ipairs(p.stages) do if stage.of then stage.of.is_used = true end end
    end

    -- What counts an output is an output, too.
    local function add_counts(p)
        for _, array in ipairs(p.arrays) do -- of items the caller must be able to know whether there was room for all
            if array.tells_loss and not array.output then
                array.output, array.is_used = array.name, true
                for _, items in ipairs(p.outputs) do
                    if items.of == array then array.output, array.counts = v.count_name(items.output), items.output break end
                end
                p.outputs[#p.outputs + 1] = array
            end
        end
        for k = 1, #p.outputs do
            local array = p.outputs[k]
            local counter = array.of ~= ONE and array.of or nil
            if counter and not counter.output then
                counter.output, counter.is_used, counter.counts = array.is_rest and counter.name or v.count_name(array.output), true, array.output
                p.outputs[#p.outputs + 1] = counter
            end
        end
    end

    -- Zeroes what is scattered, and outputs of which fewer elements are written than there is room for; not what nobody reads.
    local function zero_arrays(p)
        for k = 1, #p.arrays do
            local array = p.arrays[k]
            local has_rest = array.output and array.room and array.of and array.of ~= ONE
            if (array.is_scattered and array.is_used) or has_rest then add_zeros(array.stage, array) end
        end
        check_stages(p)
    end

    local function length_of(array, index, p)
        local counted_by = array.of ~= ONE and array.of and index[array.of] or 0
        if array.of == ONE then return LENGTH_ONE, counted_by end
        if array.segments then return LENGTH_OFFSETS + p.uniforms.segment_count.index - 1, counted_by end
        if array.room then return LENGTH_FIXED + array.room, counted_by end
        if array.of and array.role == OUT then return (array.is_rest and LENGTH_REST or LENGTH_COUNTED) + counted_by - 1, counted_by end
        return LENGTH_N, counted_by
    end

    -- All arrays in the order of their indices: the caller's, then those between operations.
    local function number_arrays(op, p)
        local callers, between, seen = {}, {}, {}
        local function add(array, role, name)
            local other = seen[name] -- of a count, or of a uniform
            if other then
                c.fail_at(array.counts and (other.output_line or other.line) or array.line,
                    ("pipeline: two arrays are called '%s'%s; give each a name of its own"):format(name, array.counts
                        and (", as the count of '%s' is"):format(array.counts) or ""))
            end
            v.check_array_name("pipeline", name)
            callers[#callers + 1], seen[name] = array, array
            array.index, array.role, array.shown = #callers, role, name
        end
        for _, array in ipairs(p.arrays) do if array.role == IN then add(array, IN, array.name) end end
        for _, array in ipairs(p.outputs) do add(array, OUT, array.output) end
        for _, array in ipairs(p.arrays) do if array.role == UNIFORM then add(array, UNIFORM, array.name) end end
        for _, array in ipairs(p.arrays) do
            if not array.index and array.is_used then
                between[#between + 1] = array
                array.index, array.role, array.shown = #callers + #between, BETWEEN, array.name
            end
        end
        if #callers > MAX_ARRAYS then fail("pipeline: more than %d inputs, outputs and uniforms; join some as a struct", MAX_ARRAYS) end
        if #between > MAX_ARRAYS then fail("pipeline: more than %d arrays between operations; make two pipelines of it", MAX_ARRAYS) end
        op.arrays = {}
        local index = {}
        for _, list in ipairs { callers, between } do for _, array in ipairs(list) do index[array] = array.index end end
        for array, at in c.next, index do
            local length, counted_by = length_of(array, index, p)
            op.arrays[at] = { name = array.shown, type = array.type.handle, role = array.role, length = length,
                counted_by = counted_by, most_segments = array.segments or 0 }
        end
    end

    -- index: of an array.
    local function describe_stages(stages, index)
        local list = {}
        for k, stage in ipairs(stages) do
            local indices = {}
            for b = 1, v.MAX_BUFFERS do indices[b] = stage.arrays[b] and index[stage.arrays[b]] or 0 end
            list[k] = { handle = stage.handle, counted_by = stage.of and index[stage.of] or 0, arrays = indices,
                length = stage.room and LENGTH_FIXED + stage.room or LENGTH_N, kernel = stage.kernel or 0 }
        end
        return list
    end

    -- The operations before they are cut, which makes some of them anew.
    local function stages_as_written(p)
        local list = {}
        for k, stage in ipairs(p.stages) do
            list[k] = { handle = stage.handle, of = stage.of, room = stage.room, arrays = copy(stage.arrays) }
        end
        return list
    end

    -- What results are verified against: the operations as they were written, on arrays of which those behind the caller's are their own. Arrays
    -- are zero before, so that nothing zeroes them.
    local function describe_reference(op, p, stages)
        local index, list = {}, {}
        local function add(array)
            if index[array] then return end
            list[#list + 1], index[array] = array, #list + 1
        end
        for at = 1, MAX_ARRAYS do
            for _, array in ipairs(p.arrays) do if array.index == at and array.role ~= BETWEEN then add(array) end end
        end
        for _, stage in ipairs(stages) do
            if stage.of then add(stage.of) end
            for b = 1, v.MAX_BUFFERS do if stage.arrays[b] then add(stage.arrays[b]) end end
        end
        local arrays = {}
        for at, array in ipairs(list) do
            local length, counted_by = length_of(array, index, p)
            arrays[at] = { type = array.type.handle, length = length, counted_by = counted_by }
        end
        op.reference = { arrays = arrays, stages = describe_stages(stages, index) }
    end

    -- What cuts a pipeline into kernels is loaded for the first.
    local function cut(p, fuses)
        for _, module in ipairs(v.cut_pipeline and {} or { "making", "join", "fuse" }) do v.file("gen/spec/lua/" .. module .. ".lua")(v) end
        return v.cut_pipeline(p, remake, fuses)
    end

    function spec.pipeline(fn, t)
        if rawtype(fn) ~= "function" then fail("pipeline: expected a function, not %s; write pipeline(function(p) .. end)", describe(fn)) end
        if pipeline then fail("pipeline: a pipeline cannot be part of another; write one") end
        if c.epoch() ~= 0 then fail("pipeline: it cannot be made inside of a traced function; make it outside, before") end
        local options = t == nil and {} or t
        local op = v.new_operation_record("pipeline", options, { "name", "doc", "tune", "deterministic", "fuse" })
        op.tune = {}
        local fuses = options.fuse == nil or v.flag(options, "fuse")
        local p = { arrays = {}, stages = {}, operation_count = 0, outputs = {}, uniforms = {}, names = {}, stage_lines = {},
            defaults = { tune = options.tune, deterministic = options.deterministic } }
        pipeline = p
        local object = v.new_object(Pipeline, p)
        if select("#", fn(object)) > 0 then fail("pipeline: its function returns something; write p.output(\"y\", y) for each output") end
        if #p.stages == 0 then fail("pipeline: it has no operation; write p.map({ x }, function(x) .. end), or another") end
        if #p.outputs == 0 then fail("pipeline: it has no output; write p.output(\"y\", y)") end
        check_used(p)
        local as_written = stages_as_written(p)
        op.written = cut(p, fuses)
        local is_written = {}
        for _, stage in ipairs(as_written) do is_written[stage.handle] = true end
        for _, stage in ipairs(p.stages) do op.is_remade = op.is_remade or not is_written[stage.handle] end
        use_counts(p)
        add_counts(p)
        zero_arrays(p)
        number_arrays(op, p)
        local index = {}
        for _, array in ipairs(p.arrays) do index[array] = array.index end
        op.stages, op.stage_lines = describe_stages(p.stages, index), p.stage_lines
        describe_reference(op, p, as_written)
        pipeline = nil
        return v.new_operation(op)
    end
end
