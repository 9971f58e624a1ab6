-- arrays.lua - the arrays that an operation reads and writes: one, or several by name, whose elements are the fields of the record that functions
-- take or return; and what lies near an element.

local rawtype = type

return function(v)
    local c, fail, describe = v.c, v.fail, v.describe
    local Near = v.new_class "near"

    local MOST_NEAR = 60 -- bytes of an element where two, and two numbers of 4 bytes, are one record
    local MAX_BUFFERS = 8 -- of an operation
    v.MAX_BUFFERS = MAX_BUFFERS
    local MAX_ARRAYS = MAX_BUFFERS - 1 -- one goes the other way

    -- fn with so many parameters: what it is called with follows from their number.
    local taking = { function(fn) return function(a) return fn(a) end end, function(fn) return function(a, b) return fn(a, b) end end,
        function(fn) return function(a, b, c) return fn(a, b, c) end end, function(fn) return function(a, b, c, d) return fn(a, b, c, d) end end }
    function v.taking(count, fn) return taking[count](fn) end

    -- A function whose parameters have no names of the user's.
    local is_named_alike = setmetatable({}, { __mode = "k" })
    function v.named_alike(fn)
        is_named_alike[fn] = true
        return fn
    end
    function v.is_named_alike(fn) return is_named_alike[fn] end

    local function record_type(what, type_name, fields)
        local seen = {}
        for _, field in ipairs(fields) do
            local name = v.check_identifier(what, field[1])
            if seen[name] and name == "segments" then
                fail("%s: 'segments' is the array that says where segments begin; call yours otherwise", what)
            end
            if seen[name] then fail("%s: two arrays are called '%s'; give each a name of its own", what, name) end
            seen[name] = true
        end
        return v.structure(type_name, fields)
    end
    v.record_type = record_type

    local function check_list(what, list, example)
        if rawtype(list) ~= "table" or v.record_of(list) or rawlen(list) == 0 then
            fail("%s is %s; list arrays, as in %s", what, describe(list), example)
        end
        if rawlen(list) > MAX_ARRAYS then fail("%s: %d arrays; give at most %d, or join some as a struct", what, rawlen(list), MAX_ARRAYS) end
        for _, key in ipairs(v.sorted_keys(list)) do
            if math.type(key) ~= "integer" then fail("%s: '%s' is no place in a list; write %s", what, tostring(key), example) end
        end
        return list
    end

    -- ---- inputs ----

    -- The type of the operation's input from `input` or `inputs`, nil where neither is given; op learns of the arrays.
    function v.read_inputs(kind, op, t)
        if t.inputs == nil then return t.input ~= nil and v.stored_type(t.input, kind .. ": input") or nil end
        if t.input ~= nil then fail("%s: input and inputs; give one of them", kind) end
        local what, example = kind .. ": inputs", "inputs = { {\"x\", f32}, {\"y\", f32} }"
        if t.inputs == v.ALL_GENERATED then
            op.has_input_fields = true
            return v.nothing
        end
        for i, entry in ipairs(check_list(what, t.inputs, example)) do
            if rawtype(entry) ~= "table" or v.record_of(entry) or #entry ~= 2 then
                fail("%s: entry %d is no {\"name\", type}; write %s", what, i, example)
            end
        end
        op.has_input_fields = true
        local E = record_type(what, "Element", t.inputs)
        E.is_of_inputs = true
        return E
    end

    function Near.__index(object, key)
        local near = v.record_of(object, Near)
        if key == "before" or key == "after" then return near[key] end
        if key == "first" or key == "last" then return v.ne(near[key], 0) end
        if near.in_segments and key ~= nil and near.in_segments[key] ~= nil then return near.in_segments[key] end -- false: on plain numbers
        if near.in_segments and key == "segment" then
            fail("near.segment is known in outputs of a segmented_scan without reverse alone; elsewhere let elements have their segment's number")
        end
        if rawtype(key) ~= "string" then v.refuse_index("near") end
        fail("near has no '%s'; it has before, after, first, last, head, tail, segment; the last three where there are segments", tostring(key))
    end
    function Near.__tostring() return "what is near" end

    -- The type of what is near an element of type T. Functions get a view of it, whose `first` and `last` are conditions.
    function v.near_type(T)
        local bytes = c.type_bytes(T.handle)
        if bytes > MOST_NEAR then
            fail("an element of %s has %d bytes; where functions know what is near it has at most %d: take fewer or narrower fields or inputs",
                T.name == "Element" and "all inputs" or T.name, bytes, MOST_NEAR)
        end
        local fields = T == v.nothing and {} or { { "before", T.object }, { "after", T.object } }
        for _, name in ipairs { "first", "last" } do fields[#fields + 1] = { name, v.scalars.u32.object } end
        local N = v.structure("Near", fields)
        function N.view(value)
            local is_there = T ~= v.nothing or nil
            local before, after = is_there and value.before, is_there and value.after
            return v.new_object(Near, { before = before, after = after, first = value.first, last = value.last })
        end
        return N
    end

    function v.is_near(x) return v.record_of(x, Near) ~= nil end

    -- near of other elements.
    function v.near_of(near, before, after)
        local whole = v.record_of(near, Near)
        return v.new_object(Near, { before = before, after = after, first = whole.first, last = whole.last, in_segments = whole.in_segments })
    end

    -- near to functions of elements that are part(e) of a record e, in a segment; number: the segment's, nil: it is not known.
    function v.near_in_segments(near, part, is_head, is_tail, number)
        local whole = v.record_of(near, Near)
        return v.new_object(Near, { before = part(whole.before), after = part(whole.after), first = whole.first, last = whole.last,
            in_segments = { head = is_head, tail = is_tail, segment = number } })
    end

    -- What functions of an element take, the first `count` of them: its type, its index, what is near.
    v.ELEMENT = { "x", "i", "near" }
    function v.element_types(T, count) return { T, v.scalars.u64, count > 2 and v.near_type(T) or nil } end

    -- ---- outputs ----

    -- An output of which only what is kept is written has its number beside it.
    function v.count_name(name) return name .. "_count" end

    -- A scattered output's length: 0 where it is not scattered, -1: n, else the number that `length` is, or the uniform.
    local MOST_PLACES = 0x7fffffff
    local function length_of(what, name, entry)
        local length = entry.length
        local uniform = length ~= nil and entry.at ~= nil and v.uniform_of(length)
        if uniform then
            if uniform.type.scalar ~= "u64" or uniform.type.kind ~= "scalar" then
                fail("%s: '%s': length is the uniform '%s' of %s; counts are u64: write uniform(\"%s\", u64)", what, name, uniform.name,
                    uniform.type.name, uniform.name)
            end
            return uniform
        end
        if length ~= nil and entry.at == nil then
            fail("%s: '%s' has length, but no at; only what is scattered has a length of its own", what, name)
        end
        if length == nil then return entry.at == nil and 0 or -1 end
        if math.type(length) ~= "integer" or length < 1 or length > MOST_PLACES then
            fail("%s: '%s': length is %s; give a whole number from 1 to %d, a uniform of u64, or none for n", what, name,
                rawtype(length) == "number" and tostring(length) or describe(length), MOST_PLACES)
        end
        return length
    end

    local ENTRY_WORDS = { "value", "keep", "at", "length" }
    local is_entry_word = { true }
    for _, word in ipairs(ENTRY_WORDS) do is_entry_word[word] = true end

    -- The entries of `outputs`: { name, value, keep | nil, at | nil, length, count | nil } each; or the one that `output` makes, called "out".
    function v.list_outputs(kind, t)
        if t.outputs == nil then return t.output ~= nil and { { name = "out", value = t.output, length = 0 } } or nil end
        if t.output ~= nil then fail("%s: output and outputs; give one of them", kind) end
        local what, example = kind .. ": outputs", "outputs = { {\"y\", value = function(x) .. end}, .. }"
        local list = {}
        for i, entry in ipairs(check_list(what, t.outputs, example)) do
            if rawtype(entry) ~= "table" or v.record_of(entry) or rawtype(entry[1]) ~= "string" then
                fail("%s: entry %d is no {\"name\", value = function}; write %s", what, i, example)
            end
            local name = v.check_identifier(what, entry[1])
            for _, key in ipairs(v.sorted_keys(entry)) do
                if not is_entry_word[key] then
                    fail("%s: '%s' has no parameter '%s'; an output has %s", what, name, tostring(key), table.concat(ENTRY_WORDS, ", "))
                end
            end
            if entry.value == nil then fail("%s: '%s' has no value; write %s", what, name, example) end
            if v.source_of(entry.value) then fail("%s: '%s' is a source; one that returns a struct can be the only output", what, name) end
            list[i] = { name = name, value = entry.value, keep = entry.keep, at = entry.at, length = length_of(what, name, entry),
                count = entry.keep ~= nil and entry.at == nil and v.count_name(name) or nil }
        end
        return list
    end

    -- The function that makes a record of all outputs' values, and its type. The functions take parameters of these names and types.
    function v.record_outputs(kind, op, outputs, parameter_names, types)
        local fields, functions, most = {}, {}, 1
        for i, output in ipairs(outputs) do
            local _, result = v.trace("value of " .. output.name, output.value, parameter_names, types)
            fields[i], functions[i], most = { output.name, result.object }, output.value, math.max(most, (v.c.parameters(output.value)))
        end
        local R = record_type(kind .. ": outputs", "Result", fields)
        op.has_output_fields = true
        local function all(...)
            local parts = {}
            for i, fn in ipairs(functions) do parts[i] = fn(...) end
            return R.object(table.unpack(parts))
        end
        return v.trace("outputs", v.taking(most, all), parameter_names, types, R, true), R
    end

    -- Names that arguments of vendored headers have already.
    local TAKEN = { n = true, n_address = true, carry_in = true, carry_out = true, scratch = true, scratch_bytes = true, flags = true }

    function v.is_own_name(name) return TAKEN[name] ~= nil end

    function v.check_array_name(kind, name)
        if TAKEN[name] then fail("%s: no array can be called '%s', which has a meaning beside arrays; choose another name", kind, name) end
    end

    -- Fails where two of the operation's buffers have one name. input, output: their types. op learns of the uniforms that it uses.
    function v.check_buffers(kind, op, input, output)
        local seen, count = {}, 0
        -- own: what the operation calls so by itself; nil: the spec does.
        local function add(name, own)
            count = count + 1
            if count > MAX_BUFFERS then fail("%s: more than %d arrays; join some as a struct", kind, MAX_BUFFERS) end
            local other = own or seen[name]
            if seen[name] ~= nil and other then fail("%s: '%s' is what the operation calls %s; call yours otherwise", kind, name, other) end
            if seen[name] ~= nil then fail("%s: two arrays are called '%s'; give each a name of its own", kind, name) end
            v.check_array_name(kind, name)
            seen[name] = own or false
        end
        for _, field in ipairs(op.has_input_fields and input.fields or { { name = "in" } }) do
            add(field.name, (not op.names_inputs or field.name == "segments") and "its input" or nil)
        end
        for k, field in ipairs(op.has_output_fields and output.fields or { { name = "out" } }) do
            if k <= (op.array_count or k) then add(field.name, not op.names_outputs and "its output" or nil) end
        end
        for _, name in ipairs(op.counts or {}) do add(name, "its number of results") end
        local functions = {}
        for _, key in ipairs { "map", "output_map", "totals", "continued", "item", "reach", "recount", "empty", "part",
            "part_joined", "part_output", "part_combine", "count_segments" } do
            functions[#functions + 1] = op[key]
        end
        for _, name in ipairs(v.add_uniforms(op, functions)) do add(name) end
    end
end
