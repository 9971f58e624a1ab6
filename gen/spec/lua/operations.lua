-- operations.lua - what operations of all kinds have, and what a spec returns.

local rawtype = type

return function(v)
    local c, spec, fail, describe = v.c, v.spec, v.fail, v.describe
    local Operation = v.new_class "operation"
    function Operation.__index(object, key)
        fail("%s has no '%s'; it cannot be part of a pipeline: in that write its operations, as p.scan { .. }", describe(object), tostring(key))
    end

    local MAX_OPERATIONS = 256

    -- { { name, text }, .. }, sorted
    local function tuning(word, kind, tune)
        v.check_keys("tune", tune, c.choices.spec_knobs)
        local list = {}
        for _, key in ipairs(v.sorted_keys(tune)) do
            local value = tune[key]
            local plain = rawtype(value)
            if plain ~= "number" and plain ~= "string" and plain ~= "boolean" then
                fail("%s: tune: %s is %s; give a number or a text", word, key, describe(value))
            end
            local text = tostring(value)
            local wrong = c.choices.fault(kind, key, text)
            if wrong then fail("%s: tune: %s = %s: %s", word, key, (text:sub(1, 40):gsub("%c", "?")), wrong) end
            list[#list + 1] = { key, text }
        end
        return list
    end

    local ORDERS = { [false] = 0, [true] = 1, everywhere = 2 } -- ms_order

    -- What `deterministic` asks for.
    local function order_of(t)
        local value = t.deterministic
        if value == nil then value = false end
        if rawtype(value) ~= "boolean" and value ~= "everywhere" then
            fail("deterministic is true, false or \"everywhere\", not %s; write deterministic = \"everywhere\" for the same bits on every device",
                v.shown_word(value))
        end
        return ORDERS[value]
    end

    local words = {} -- parameters of any operation

    -- What every operation has.
    local function new_record(kind, t, known)
        v.check_keys(kind, t, known, words)
        local op = { kind = kind, name = t.name, doc = t.doc, line = c.line(), order = order_of(t) }
        if op.name ~= nil then v.check_identifier(kind, op.name) end
        if op.doc ~= nil and rawtype(op.doc) ~= "string" then fail("%s: doc is a text, not %s; write doc = \"..\"", kind, describe(op.doc)) end
        return op
    end

    v.new_operation_record = new_record
    function v.new_operation(op) return v.new_object(Operation, op) end

    -- A word for operations, and its parameters beside those of all operations: fill(op, t) adds to the record what its kind's row in gen/spec reads,
    -- and sets the kind, if that is not the word.
    local kinds, makers, takes = {}, {}, {}
    function v.new_kind(kind, parameters, fill)
        local known = table.move({ "name", "doc", "tune", "deterministic" }, 1, 4, #parameters + 1, parameters)
        kinds[#kinds + 1] = kind
        takes[kind] = {}
        for _, word in ipairs(known) do words[word], takes[kind][word] = true, true end
        makers[kind] = function(t, of_pipeline)
            local op = new_record(kind, t, known)
            op.names_inputs, op.names_outputs = t.inputs ~= nil, t.outputs ~= nil
            fill(op, v.without_generated(kind, t), of_pipeline or {})
            op.tune = tuning(kind, op.kind, t.tune == nil and {} or t.tune)
            return op
        end
        spec[kind] = function(t) return v.new_operation(makers[kind](t)) end
    end
    local function kind_words() return table.concat(kinds, ", ", 1, #kinds - 1) .. " and " .. kinds[#kinds] end

    -- The record of the operation that spec[word](t) would return. of_pipeline: { counts_rest = of a partition whether it counts what others have
    -- as their number of elements, inputs = of words that have other names for what they read, their inputs as generated.lua has them,
    -- second = of a scan what join.lua has of scans of its results, results = of a sort what is stored beside its outputs, see there,
    -- makes_keys: its map is one of the pipeline's, which may use uniforms }, or nil.
    function v.make_operation(word, t, of_pipeline) return makers[word](t, of_pipeline) end
    function v.takes_parameter(word, name) return takes[word][name] ~= nil end
    function v.is_operation_word(word) return makers[word] ~= nil end
    v.operation_words = kind_words

    local ABSENT = { segmented_sort = "sort by a struct that begins with the segment's number", topk = "sort, and read the first k",
        histogram = "in a pipeline sort, then run_length_encode" }
    function v.refuse_absent(name) if ABSENT[name] then fail("%s: not in this version; %s", name, ABSENT[name]) end end
    for name in c.next, ABSENT do spec[name] = function() v.refuse_absent(name) end end
    function spec.spec_version(version)
        if version ~= 1 then
            fail("spec_version(%s): this version reads 1; take a newer monosweep", rawtype(version) == "number" and version or describe(version))
        end
    end

    -- Texts, files and functions of a pipeline's operation begin with both names, those of another with its own.
    local function check_joined_names(list, base_name)
        local taken = {}
        local function take(name, what, line)
            local other = taken[name]
            if other then
                c.fail_at(math.max(line, other.line), ("%s and %s are both called '%s' in what is generated; rename one, by name = \"..\"")
                    :format(other.what, what, name))
            end
            taken[name] = { what = what, line = line }
        end
        for _, op in ipairs(list) do
            local name = op.name or base_name
            take(name, ("the operation '%s'"):format(name), op.line)
            for _, stage in ipairs(v.sorted_keys(op.stage_lines or {})) do
                take(name .. "_" .. stage, ("'%s' of the pipeline '%s'"):format(stage, name), op.stage_lines[stage])
            end
        end
    end

    -- The records of the operations that the spec returned. value: the first of value_count values; base_name: what an operation without a name is
    -- called.
    function v.finish(value, base_name, value_count)
        local list, names = {}, {}
        if value_count > 1 then fail("the spec returns %d values; return a list of operations, as in return { .. }", value_count) end
        if v.record_of(value, Operation) then value = { value } end
        local count = rawtype(value) == "table" and not v.record_of(value) and rawlen(value) or 0
        if count == 0 then fail("the spec returns %s; return an operation, as in return scan { monoid = sum(u32) }", describe(value)) end
        if count > MAX_OPERATIONS then fail("the spec returns %d operations; return at most %d", count, MAX_OPERATIONS) end
        for i = 1, count do
            local op = v.record_of(rawget(value, i), Operation)
            if not op then
                fail("entry %d of the returned list is %s; list operations, made by %s", i, describe(rawget(value, i)),
                    (kind_words():gsub(" and ", " or ")))
            end
            local name = op.name or base_name
            if names[name] then fail("two operations are called '%s'; give each a name = \"..\" of its own", name) end
            list[i], names[name] = op, true
        end
        check_joined_names(list, base_name)
        for _, key in ipairs(v.sorted_keys(value)) do
            if math.type(key) ~= "integer" or key < 1 or key > count then
                fail("the returned list has an entry '%s' beside 1 to %d; list the operations without gaps or names", tostring(key), count)
            end
        end
        return list
    end
end
