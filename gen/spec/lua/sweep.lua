-- sweep.lua - the one operation behind many words: a pass over the items that scans a monoid of what it reads and writes what the scan decides.
--
-- A word describes it: { input = type, monoid = record | nil, has_no_carry, map = fn | nil, init, reverse, exclusive, outputs = { output, .. },
-- numbers = { { name, fn }, .. } }. map takes (x, i, near); functions of outputs take (s, x, i, near), or without a monoid (x, i, near);
-- of numbers (s), what all items come to. An output is { name, value = fn } and, where not every item has its own place, one of
--   keep = fn, count = name              packed: the values of the items that are kept, in order, and their number
--   keep = fn, count = name, rest = true the values of the others; a packed output has the same `keep` and `count`
--   keep = fn, at = fn, count = name, of at(..) says where those go that are kept; one of `numbers` says how many do. of = "head", "tail":
--                                        places are this number in front of the item; kept are the first, or the last, of one place
--   at = fn, length, keep = fn | nil     scattered: at(..) says where it goes, or those that are kept; length: of the array, a number, a uniform,
--                                        or -1: n. Places beyond are not written. length is 0 for all others
--   item = fn, length                    expanded: item(x, i, k) for each k below the element's length, in order; the one output of v.expansion
--
-- continues: of a monoid that starts anew at heads, what tells a tile's own results from the final ones: { start = the state before a tile of which
--   nothing is known but that an element was there, output = the one output whose values depend on it, value(state before the tile, the tile's own
--   value) = the final value of the first element that the tile packs, if no head comes before it. All else is final. counts: a tile's own values are
--   unsigned, and no more than its elements are. }
--
-- empty: of segments by offsets, the state of one without elements; all outputs are scattered, and have one place. part: what of a state its outputs
--   are made of: { type, of(state), state(part) = a state that has it, joined(state before a tile, the tile's own part) = the part of both,
--   combine(a, b) = what joins states where parts are all that is made of them }.
--
-- Places of packed outputs are a scan of counters: the state is a struct of the monoid's element and a counter for each `keep`. The output function
-- returns a struct of all values, and behind them the places of those that have no place of their own, NOWHERE where they are not kept.
--
-- Where a packed output's `keep` depends on s nothing is counted before s is known: op.map makes states that count nothing, op.recount of a state and
-- its element one of the counters alone, and op.merged(a, b) is a with the counters of b, which are scanned by themselves.
--
-- Counters and places are of type C: u32, and for as many elements as that cannot count u64, which op.wide has all the functions for.

local rawtype = type

return function(v)
    local c, spec, fail = v.c, v.spec, v.fail

    local NOWHERE = c.numbers.nowhere -- of gen/spec/spec.h
    local u32, u64 = v.scalars.u32, v.scalars.u64
    local function nowhere_of(C) return C == u64 and ~u64.object(0) or u32.object(NOWHERE) end

    function v.any_packed(outputs)
        for _, output in ipairs(outputs) do if output.keep ~= nil and output.at == nil then return true end end
        return false
    end

    function v.any_scattered(outputs)
        for _, output in ipairs(outputs) do if output.at ~= nil then return true end end
        return false
    end

    -- How many parameters a function of the spec has; 0: it is none.
    function v.parameters_of(fn) return rawtype(fn) == "function" and (c.parameters(fn)) or 0 end

    -- The most parameters that functions of outputs have, but for the first `skipped`.
    function v.most_parameters(outputs, skipped)
        local most = 1
        for _, output in ipairs(outputs) do
            most = math.max(most, v.parameters_of(output.value) - skipped, v.parameters_of(output.keep) - skipped,
                v.parameters_of(output.at) - skipped)
        end
        return most
    end

    -- Each of the functions by itself, for its faults; returns the types of the outputs' values, and whether what is packed depends on s.
    local function check_functions(d, names, types)
        local results, recounts = {}, false
        for k, output in ipairs(d.outputs) do
            local _, result = v.trace("value of " .. output.name, output.value, names, types)
            results[k] = result
            if output.at and not output.count then
                local _, place = v.trace("at of " .. output.name, output.at, names, types)
                if place.scalar ~= "u32" and place.scalar ~= "u64" or place.kind ~= "scalar" then
                    fail("at of %s returns %s; give u32 or u64, as in u32(..)", output.name, place.name)
                end
            end
            if output.keep and not output.rest then
                local keep = v.trace("keep of " .. output.name, output.keep, names, types, v.scalars.bool)
                recounts = recounts or (d.monoid and not output.at and c.uses(keep, 0))
            end
        end
        return results, recounts
    end

    -- The distinct functions `keep` of packed outputs, which one each output has, and the numbers of what is kept: { name, which keep }.
    local function number_keeps(outputs)
        local keeps, of, counts, number_of, is_named = {}, {}, {}, {}, {}
        for k, output in ipairs(outputs) do
            if output.keep and not output.at then
                if not number_of[output.keep] then
                    keeps[#keeps + 1] = output.keep
                    number_of[output.keep] = #keeps
                end
                of[k] = number_of[output.keep]
                if not is_named[output.count] then counts[#counts + 1] = { output.count, of[k] } end
                is_named[output.count] = true -- two keeps have one only by buffers of one name, which are refused later
            end
        end
        return keeps, of, counts
    end

    -- States of d.monoid's elements and `count` counters: { monoid, make(s, counters), s(state), kept(state, k) }.
    local function states(d, count, C)
        local m = d.monoid
        if count == 0 then return { monoid = m, make = function(s) return s end, s = function(state) return state end } end
        if not m and count == 1 then
            local sum = v.new_monoid({ name = ("sum(%s)"):format(C.name), type = C, identity = 0, commutative = true,
                combine = function(a, b) return a + b end }, true)
            return { monoid = v.monoid_of(sum), make = function(_, counters) return counters[1] end, kept = function(state) return state end }
        end
        local fields = m and { { "s", m.type.object } } or {}
        local function name(k) return count == 1 and "kept" or "kept" .. k end
        for k = 1, count do fields[#fields + 1] = { name(k), C.object } end
        local State, zeros = v.structure("State", fields), {}
        for k = 1, count do zeros[k] = 0 end
        local state = { s = function(state) return state.s end, kept = function(state, k) return state[name(k)] end }
        local function parts(s, counters) return table.move(counters, 1, count, m and 2 or 1, { m and s }) end
        function state.make(s, counters) return State.object(table.unpack(parts(s, counters))) end
        state.monoid = v.monoid_of(v.new_monoid({ name = m and m.name or "counters", type = State, commutative = not m or m.commutative,
            identity = parts(m and m.identity, zeros), members = { m and m.handle },
            combine = function(a, b)
                local counters = {}
                for k = 1, count do counters[k] = state.kept(a, k) + state.kept(b, k) end
                return state.make(m and v.coerce(m.type, m.combine(a.s, b.s), "combine: the result"), counters)
            end }, true))
        return state
    end

    local function map_to_state(d, state, keeps, types, most, C, recounts)
        local function of_element(x, i, near)
            local counters, s = {}, nil
            for k, keep in ipairs(keeps) do
                local kept
                if recounts then kept = false
                elseif d.monoid then kept = keep(v.coerce(d.monoid.type, d.monoid.identity, "identity"), x, i, near)
                else kept = keep(x, i, near) end
                counters[k] = kept and v.where(kept, C.object(1), C.object(0)) or C.object(0)
            end
            if d.monoid then s = d.map and d.map(x, i, near) or x end
            return state.make(s, counters)
        end
        return v.trace("map", v.taking(most, of_element), v.ELEMENT, types, state.monoid.type, true)
    end

    -- recount and merged of op.
    local function add_recount(op, d, state, keeps, types, most, C)
        local S, none = state.monoid.type, v.coerce(d.monoid.type, d.monoid.identity, "identity")
        local function recount(st, x, i, near)
            local counters = {}
            for k, keep in ipairs(keeps) do counters[k] = v.where(keep(state.s(st), x, i, near), C.object(1), C.object(0)) end
            return state.make(none, counters)
        end
        local names = { "state", "x", "i", "near" }
        op.recount = v.trace("recount_item", v.taking(math.max(most + 1, 2), recount), names, { S, table.unpack(types) }, S, true)
        op.merged = v.trace("merged", function(a, b)
            local counters = {}
            for k = 1, #keeps do counters[k] = state.kept(b, k) end
            return state.make(state.s(a), counters)
        end, { "a", "b" }, { S, S }, S, true)
    end

    -- The output function, its type and of each output the leaf that has its place, from 1; 0: none has.
    local function map_to_results(d, state, results, of, types, most, C)
        local outputs, fields, places, leaf, first = d.outputs, {}, {}, 0, {}
        for k, output in ipairs(outputs) do
            fields[k] = { output.name, results[k].object }
            leaf = leaf + results[k].leaves
        end
        for k, output in ipairs(outputs) do
            places[k] = 0
            for before = 1, k - 1 do
                local other = outputs[before]
                if other.keep == output.keep and other.at == output.at and of[before] == of[k] and other.rest == output.rest then
                    first[k], places[k] = first[before] or before, places[before]
                end
            end
            if (output.keep or output.at) and not first[k] then
                fields[#fields + 1] = { "place_of_" .. output.name, C.object }
                leaf = leaf + 1
                places[k] = leaf
            end
        end
        local R = v.record_type("outputs", "Result", fields)
        local nowhere = nowhere_of(C)
        local function scattered_place(output, kept, place)
            local function keep_where(is_place) kept = kept and v.land(kept, is_place) or is_place end
            if rawtype(output.length) == "table" then keep_where(v.lt(u64.object(place), output.length.value)) end
            if C == u32 and v.type_of(place).scalar == "u64" then
                keep_where(v.lt(place, u64.object(NOWHERE))) -- before it is narrowed
            end
            place = C.object(place)
            return kept and v.where(kept, place, nowhere) or place
        end
        local function place(k, st, kept, arguments, i)
            local output = outputs[k]
            if output.at and output.count then return v.where(kept, C.object(output.at(table.unpack(arguments, 1, 4))), nowhere) end
            if output.at then return scattered_place(output, kept, output.at(table.unpack(arguments, 1, 4))) end
            local before = state.kept(st, of[k])
            if output.rest then return v.where(kept, nowhere, C.object(i) - before) end
            return v.where(kept, (d.exclusive or not d.monoid) and before or before - 1, nowhere)
        end
        local function all(st, x, i, near)
            local parts = {}
            local arguments = d.monoid and { state and state.s(st) or st, x, i, near } or { x, i, near }
            for k, output in ipairs(outputs) do parts[k] = output.value(table.unpack(arguments, 1, 4)) end
            for k, output in ipairs(outputs) do
                local kept = output.keep and output.keep(table.unpack(arguments, 1, 4))
                if places[k] > 0 and not first[k] then parts[#parts + 1] = place(k, st, kept, arguments, i) end
            end
            return R.object(table.unpack(parts))
        end
        if not d.monoid and not state then
            local function of_element(x, i, near) return all(nil, x, i, near) end
            return v.trace("output", v.taking(most, of_element), v.ELEMENT, types, R, true), R, places
        end
        local names = { "state", "x", "i", "near" }
        return v.trace("output", v.taking(most + 1, all), names, { state and state.monoid.type or d.monoid.type, table.unpack(types) }, R, true), R,
            places
    end

    local function set_arrays(op, outputs, places)
        op.places, op.lengths, op.has_output_fields, op.array_count = places, {}, true, #outputs
        op.tails, op.length_names = {}, {}
        for k, output in ipairs(outputs) do
            local is_given = rawtype(output.length) == "table"
            op.lengths[k], op.length_names[k] = is_given and 0 or output.length or 0, is_given and output.length.name or ""
            op.tails[k] = output.of == "tail" and 1 or 0
        end
    end

    -- The function that makes a record of what outputs of a map, or of a scan of d.monoid, have and where it goes, and its type. None is packed:
    -- nothing is counted. op learns of the arrays.
    function v.scattered_outputs(op, d, types)
        local m = d.monoid
        local results = check_functions(d, m and { "s", "x", "i", "near" } or v.ELEMENT, m and { m.type, table.unpack(types) } or types)
        local fn, R, places = map_to_results(d, nil, results, {}, types, #types, u32)
        local wide_fn, wide_R = map_to_results(d, nil, results, {}, types, #types, u64)
        set_arrays(op, d.outputs, places)
        op.wide = { [m and "output_map" or "map"] = wide_fn, output = wide_R.handle }
        return fn, R
    end

    -- The function that makes a record of all numbers, and of each output which number is its own, below 0 where it has the rest; 0: none.
    local function add_numbers(op, d, state, counts)
        local fields, functions, place = {}, {}, {}
        local function add(name, fn)
            fields[#fields + 1], functions[#functions + 1] = { name, u64.object }, fn
            place[name] = #fields
        end
        for _, count in ipairs(counts) do add(count[1], function(total) return state.kept(total, count[2]) end) end
        for _, number in ipairs(d.numbers or {}) do add(number[1], function(total) return number[2](state.s(total)) end) end
        local Counts = v.record_type("counts", "Counts", fields)
        op.totals = v.trace("totals", function(total)
            local parts = {}
            for k, fn in ipairs(functions) do parts[k] = u64.object(fn(total)) end
            return Counts.object(table.unpack(parts))
        end, { "total" }, { state.monoid.type }, Counts, true)
        op.counts, op.count_of = {}, {}
        for k, field in ipairs(fields) do op.counts[k] = field[1] end
        for k, output in ipairs(d.outputs) do op.count_of[k] = output.count and place[output.count] * (output.rest and -1 or 1) or 0 end
    end

    -- Between carries, which are elements of the monoid, and states.
    local function add_carry(op, d, state, count, C)
        local m, S, zeros = d.monoid, state.monoid.type, {}
        for k = 1, count do zeros[k] = C.object(0) end
        op.carry = m.type.handle
        if d.init ~= nil then op.init = v.flatten(v.coerce(S, state.make(v.coerce(m.type, v.known("init", d.init), "init"), zeros), "init")) end
        if count == 0 then return end
        op.from_carry = v.trace("state_of_carry", function(carry) return state.make(carry, zeros) end, { "carry" }, { m.type }, S, true)
        op.to_carry = v.trace("carry_of_state", function(total) return state.s(total) end, { "total" }, { S }, m.type, true)
    end

    local function add_continuation(op, continues, state, results)
        local V = results[continues.output]
        local function value(before, own) return v.coerce(V, continues.value(state.s(before), own), "combine: the result") end
        op.continued = v.trace("continued_value", value, { "before", "own" }, { state.monoid.type, V }, V, true)
        op.start, op.continued_output = v.flatten(v.coerce(state.monoid.type, continues.start, "start")), continues.output
        op.continued_counts = continues.counts
    end

    -- The function that makes a record R of what a segment without elements comes to.
    local function add_empty(op, d, R)
        op.empty = v.trace("empty", function()
            local parts = {}
            for k, output in ipairs(d.outputs) do parts[k] = output.value(d.empty) end
            parts[#parts + 1] = spec.u32(NOWHERE) -- the one place of all outputs
            return R.object(table.unpack(parts))
        end, {}, {}, R, true)
    end

    -- The functions that make parts of states, join them and make records R of them.
    local function add_part(op, d, S, R)
        local part = d.part
        op.part_combine = v.trace("combine", part.combine, { "a", "b" }, { S, S }, S, true)
        op.part = v.trace("part", part.of, { "state" }, { S }, part.type, true)
        op.part_joined = v.trace("part_joined", part.joined, { "before", "own" }, { S, part.type }, part.type, true)
        op.part_output = v.trace("part_output", function(own)
            local parts = {}
            for k, output in ipairs(d.outputs) do parts[k] = output.value(part.state(own)) end
            parts[#parts + 1] = spec.u32(NOWHERE)
            return R.object(table.unpack(parts))
        end, { "own" }, { part.type }, R, true)
    end

    -- Of the sweep that d describes what is made of counters and places, which are of type C, to op. Returns the type of its results.
    local function add_functions(op, d, results, types, most, C, recounts)
        local keeps, of, counts = number_keeps(d.outputs)
        local state = states(d, #keeps, C)
        op.monoid = state.monoid.handle
        op.map = (d.map or #keeps > 0) and map_to_state(d, state, keeps, types, most, C, recounts) or nil
        if recounts then add_recount(op, d, state, keeps, types, most, C) end
        if not recounts then op.counters = #keeps end
        local result, places
        op.output_map, result, places = map_to_results(d, state, results, of, types, most, C)
        op.output = result.handle
        set_arrays(op, d.outputs, places)
        if d.continues then add_continuation(op, d.continues, state, results) end
        if d.empty then add_empty(op, d, result) end
        if d.part then add_part(op, d, state.monoid.type, result) end
        if #counts > 0 or d.numbers then add_numbers(op, d, state, counts) end
        if d.monoid and not d.has_no_carry then add_carry(op, d, state, #keeps, C) end
        return result
    end

    -- op learns of a sweep. describe: what describes it, or a function of C that gives that.
    function v.sweep(op, word, describe)
        local function described(C) return rawtype(describe) == "function" and describe(C) or describe end
        local d = described(u32)
        local m = d.monoid
        local most = math.max(v.most_parameters(d.outputs, m and 1 or 0), v.parameters_of(d.map))
        for _, output in ipairs(d.outputs) do if output.rest then most = math.max(most, 2) end end
        local types = v.element_types(d.input, most)
        if d.map then v.trace("map", d.map, v.ELEMENT, types, m.type) end
        local names = m and { "s", "x", "i", "near" } or v.ELEMENT
        local results, recounts = check_functions(d, names, m and { m.type, table.unpack(types) } or types)
        op.kind, op.word = "sweep", word
        op.reverse, op.exclusive, op.counts_alone = d.reverse, d.exclusive or not m, not m
        local result = add_functions(op, d, results, types, most, u32, recounts)
        v.check_buffers(word, op, d.input, result)
        op.input = d.input.handle
        if d.empty then return end -- numbers of segments have 32 bits
        op.wide = {}
        add_functions(op.wide, described(u64), results, types, most, u64, recounts)
    end

    -- op learns of the sweep of lengths that d describes: { input, length = fn, outputs = { { name, item = fn, length } }, numbers }.
    function v.expansion(op, word, d)
        local output = d.outputs[1]
        local types, names = { d.input, u64, u32 }, { "x", "i", "k" }
        v.trace("length", d.length, v.ELEMENT, v.element_types(d.input, 2), u32)
        local _, result = v.trace("item", output.item, names, types)
        d.monoid, d.exclusive = v.monoid_of(spec.sum(spec.u64)), true
        local S, R = d.monoid.type, v.record_type("outputs", "Result", { { output.name, result.object } })
        local function length(x, i) return u64.object(v.coerce(u32, d.length(x, i), "length: the result")) end
        local function item(x, i, k) return R.object(output.item(x, i, k)) end
        op.kind, op.word = "sweep", word
        op.monoid, op.exclusive = d.monoid.handle, true
        op.map = v.trace("map", v.taking(math.max(1, v.parameters_of(d.length)), length), v.ELEMENT, types, S, true)
        op.item = v.trace("item", v.taking(math.max(1, v.parameters_of(output.item)), item), names, types, R, true)
        op.reach = v.trace("reach", function(from, to)
            local distance = to - from
            return v.where(v.lt(distance, u64.object(NOWHERE)), u32.object(distance), u32.object(NOWHERE)) -- before it is narrowed
        end, { "from", "to" }, { S, S }, u32, true)
        set_arrays(op, d.outputs, { 0 })
        add_numbers(op, d, states(d, 0), {})
        op.wide = { reach = v.trace("reach", function(from, to) return to - from end, { "from", "to" }, { S, S }, u64, true) }
        v.check_buffers(word, op, d.input, R)
        op.input, op.output = d.input.handle, R.handle
    end
end
