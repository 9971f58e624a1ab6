-- generated.lua - inputs that are in no memory: { "w", generate = function(i) .. end }. What functions get as an element is a record of the arrays'
-- elements and of what is generated for them; the operation itself has the arrays alone, or none, where all inputs are generated.
--
-- Pipelines have more of them (fuse.lua): { "y", T, derive = function(e) .. end }, made of elements of the arrays, e.of("x") is that of x, e.i its
-- index, e.made a table for all that is derived of the same element; and { "x", T, hidden = true }, an array of which functions see only what is
-- derived. is_there = true: it says where segments begin, and the operation has it in any case. inputs.is_single: functions see the only input
-- itself, no record of it.

local rawtype = type

return function(v)
    local c, fail = v.c, v.fail
    local u64 = v.scalars.u64

    -- Of a kind's functions the place of x, 0: they are not of an element. All are a parameter each, or in the entries of `outputs`.
    local FIRST_S = { map = 1, output = 2, value = 2, keep = 2, at = 2 }
    local PLACES = {
        map = { output = 1, value = 1, keep = 1, at = 1 }, scan = FIRST_S, reduce = { map = 1 }, compact = { keep = 1, output = 1, value = 1 },
        partition = { first = 1 }, unique = { output = 1, value = 1 }, append = { length = 1, item = 1 },
        segmented_scan = FIRST_S, segmented_reduce = { map = 1 }, reduce_by_key = {}, run_length_encode = {},
    }
    local function same(x) return x end

    v.ALL_GENERATED = {} -- in the place of an operation's arrays: there are none

    local function zero_of(T)
        local parts = {}
        if T.kind == "scalar" then return v.coerce_scalar(T, 0, "generate") end
        for k = 1, v.part_count(T) do parts[k] = zero_of(v.part_type(T, k)) end
        return v.coerce(T, parts, "generate")
    end

    -- Of functions that pipelines make: those that get the element of the arrays before what all others get. fn: for where nothing is derived.
    local of_arrays = setmetatable({}, { __mode = "k" })
    function v.of_arrays(fn, of_element)
        of_arrays[fn] = of_element
        return fn
    end

    local function is_made(entry) return rawget(entry, "generate") ~= nil or rawget(entry, "derive") ~= nil end

    -- What x is to functions: a record of all inputs. Returns it, the arrays of t, what makes a record of an element of the arrays and its index, and
    -- whether that element is of one array alone.
    local function read(kind, inputs, is_single)
        local fields, arrays, functions, count = {}, {}, {}, 0
        for _, entry in ipairs(inputs) do
            if not is_made(entry) then count = count + 1 end
            if not is_made(entry) and not rawget(entry, "is_there") then arrays[#arrays + 1] = entry end
        end
        local is_plain = is_single and count == 1 and #arrays == 1 -- x is the array's element itself
        if #arrays == 0 then arrays = v.ALL_GENERATED end
        local function element_of(x, name) if is_plain then return x else return x[name] end end
        for entry_number, entry in ipairs(inputs) do
            local generate, derive, k = rawget(entry, "generate"), rawget(entry, "derive"), #fields + 1
            if derive then
                fields[k] = { entry[1], entry[2] }
                functions[k] = function(_, e) return derive(e) end
            elseif generate == nil then
                if not rawget(entry, "hidden") then fields[k] = entry end
            else
                if rawtype(entry[1]) ~= "string" or #entry ~= 1 then
                    fail("%s: inputs: entry %d has generate; write {\"w\", generate = function(i) .. end}", kind, entry_number)
                end
                if v.source_of(generate) then fail("%s: '%s' is made by a source; write generate = function(i) .. end", kind, entry[1]) end
                local _, T = v.trace("generate of " .. entry[1], generate, { "i" }, { u64 })
                fields[k], functions[k] = { entry[1], T.object }, function(i) return v.coerce(T, generate(i), "generate: the result") end
            end
        end
        local E = v.record_type(kind .. ": inputs", "Element", fields)
        E.is_of_inputs = true
        local function part(k, x, e, are_there)
            local field = E.fields[k]
            local made = functions[k] and functions[k](e.i, e) or element_of(x, field.name)
            if functions[k] and are_there ~= nil then made = v.where(are_there, made, zero_of(field.type)) end
            return made
        end
        local function derived_of(x, i) return { of = function(name) return element_of(x, name) end, i = i, made = {} } end
        if is_single then
            return E.fields[1].type, arrays, function(x, i, are_there) return part(1, x, derived_of(x, i), are_there) end, is_plain
        end
        return E, arrays, function(x, i, are_there)
            local parts, e = {}, derived_of(x, i)
            for k in ipairs(E.fields) do parts[k] = part(k, x, e, are_there) end
            return E.object(table.unpack(parts))
        end
    end

    -- The functions of elements of the arrays, of those of records.
    local function wrapper(element)
        local made = {} -- one function has one, since outputs of one `keep` share their place
        return function(what, fn, place)
            if v.source_of(fn) then fail("%s is a source; with generated inputs write a function", what) end
            if rawtype(fn) ~= "function" then return fn end
            local count = c.parameters(fn)
            if count < place then return fn end
            local of_element = of_arrays[fn]
            made[fn] = made[fn] or v.named_alike(v.taking(math.max(count, place + 1), function(...)
                local arguments = { ... }
                local x, i, near = arguments[place], arguments[place + 1], arguments[place + 2]
                arguments[place] = element(x, i)
                if v.is_near(near) then
                    arguments[place + 2] = v.near_of(near, element(near.before, i - 1, v.lnot(near.first)),
                        element(near.after, i + 1, v.lnot(near.last)))
                end
                if of_element then return of_element(x, table.unpack(arguments, 1, count)) end
                return fn(table.unpack(arguments, 1, count))
            end))
            return made[fn]
        end
    end

    local function has_generated(inputs)
        if rawtype(inputs) ~= "table" or v.record_of(inputs) then return false end
        for k = 1, rawlen(inputs) do
            local entry = inputs[k]
            if rawtype(entry) == "table" and not v.record_of(entry) and (is_made(entry) or rawget(entry, "hidden")) then return true end
        end
        return false
    end

    -- The table of an operation of arrays alone: t where nothing is generated. Else it has `record`, the type of what x is to functions, and
    -- in_records(fn, place), for functions that the word makes by itself; place: of the element among their parameters, 1 if it is not given.
    function v.without_generated(kind, t)
        if rawtype(t) ~= "table" or not has_generated(t.inputs) then return t end
        local places = PLACES[kind] -- of every kind that has `inputs`
        local is_single = rawget(t.inputs, "is_single")
        local E, arrays, element, is_plain = read(kind, t.inputs, is_single)
        local wrapped, plain = wrapper(element), {}
        for key, value in c.next, t do
            plain[key] = places[key] and key ~= "value" and wrapped(("%s: %s"):format(kind, key), value, places[key]) or value
        end
        if (kind == "compact" or kind == "unique") and t.output == nil and t.outputs == nil then plain.output = wrapped("output", same, 1) end
        if is_single and t.map == nil and places.map == 1 then plain.map = wrapped("map", same, 1) end
        plain.inputs, plain.record = arrays, E
        if is_plain then plain.inputs, plain.input = nil, arrays[1][2] end
        function plain.in_records(fn, place) return wrapped(kind, fn, place or 1) end
        if rawtype(t.outputs) == "table" and not v.record_of(t.outputs) and places.value then
            plain.outputs = {}
            for k = 1, rawlen(t.outputs) do
                local entry = t.outputs[k]
                plain.outputs[k] = entry
                if rawtype(entry) == "table" and not v.record_of(entry) then
                    plain.outputs[k] = {}
                    for key, value in c.next, entry do
                        plain.outputs[k][key] = places[key] and wrapped(("%s of %s"):format(key, tostring(entry[1])), value, places[key]) or value
                    end
                end
            end
        end
        return plain
    end
end
