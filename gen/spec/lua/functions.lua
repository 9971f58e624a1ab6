-- functions.lua - from a Lua function to an expression: called with symbolic arguments, then again, then on samples.
--
-- Control flow that depends on values cannot be traced, and much of it cannot even be seen: "a == 0" between a node and a number is false
-- without a metamethod, "if a", "a and b", "not a" ask no one. So the function also runs on plain Lua numbers, for which all this means what it
-- says, and the trace is made again beside it with the number that each node then has (v.shadows). Both compute with Lua's arithmetic
-- (gen/spec/lua/plain.lua), so nothing but such control flow can make a difference.
--
-- The samples are what values may be compared with: the literals in the lines that ran and what Lua's parser folds them to, as 2^8 - 1, and what
-- Lua's registers held in a trace (gen/spec/sandbox.c): upvalues, fields, sums of them, and keys of tables; then small numbers, sums and quotients of
-- those, for "a + 1 == 977". Where a line compares, any two of the first few meet in each two arguments, for "a == 3 and b == 7".
--
-- Uniforms have sample numbers, too. A function reaches them by its upvalues: there, and in the tables it reaches, they and what is made of them are
-- Lua numbers for the time of a plain run (gen/spec/lua/uniforms.lua).
--
-- A call may not depend on what earlier calls left behind: the trace is made twice at least, the same both times (the nodes of equal expressions
-- are the same), and the second call leaves what the function reaches as the first one did (gen/spec/state.c). So a table of results may be kept, a
-- counter or an argument may not, nor may math.random be asked.

local rawtype = type

return function(v)
    local c, fail, describe = v.c, v.fail, v.describe

    local FEW_ROUNDS, ROUNDS, MAX_SAMPLED_NODES, MAX_SPEC_NODES = 6, 20, 6000, 30000
    local MAX_GAP, SMALL_NUMBERS, MAX_COMBINED, MAX_FOLDED = 20, 16, 6, 200

    local sampled_nodes = 0 -- of all functions

    -- ---- samples ----

    -- The spec's text of a line. A comment is left in: where it ends only Lua's parser knows, and what it has in it costs time only.
    local function text_of(line)
        if not v.text_lines then
            v.text_lines = {}
            for text in v.gmatch(c.text(), "([^\n]*)\n?") do v.text_lines[#v.text_lines + 1] = text end
        end
        return v.text_lines[line] or ""
    end
    v.text_of = text_of

    -- The lines that ran, and those of the function itself.
    local function lines_of(fn, ran)
        local first, last = c.line_range(fn)
        local seen, list = {}, {}
        local function add(line)
            if not seen[line] then list[#list + 1] = line end
            seen[line] = true
        end
        for line = first, last do add(line) end
        for i, line in ipairs(ran) do
            add(line)
            local gap = (ran[i + 1] or line) - line
            if gap <= MAX_GAP then for between = line + 1, line + gap - 1 do add(between) end end -- an expression over several lines
        end
        return list
    end

    -- What compares a value with numbers and is not seen; and what else may look at one.
    local EQUALITIES = { "[=~]=", "%f[%w_]raw" }
    local SIGNS = { "%[", "%f[%w_]if%f[^%w_]", "%f[%w_]and%f[^%w_]", "%f[%w_]or%f[^%w_]", "%f[%w_]not%f[^%w_]", "%f[%w_]while%f[^%w_]",
        "%f[%w_]until%f[^%w_]", "%f[%w_]assert%f[^%w_]", "%f[%w_]type%f[^%w_]", "%f[%w_]select%f[^%w_]", "%f[%w_]tostring%f[^%w_]",
        "%f[%w_]format%f[^%w_]" }

    -- The first line with one of the signs; first in the text before a "--".
    local function first_of(signs, lines)
        for _, comment in ipairs { "%-%-.*", "^$" } do
            for _, sign in ipairs(signs) do
                for _, line in ipairs(lines) do if v.find(v.gsub(text_of(line), comment, ""), sign) then return line end end
            end
        end
    end

    local function first_sign(lines) return first_of(EQUALITIES, lines) or first_of(SIGNS, lines) end

    -- The number that a text is to Lua's parser, where it has literals and operators alone.
    local function folded(text)
        if #text > MAX_FOLDED or v.find(text, "[^%w%.%s%+%-%*/%%^&|~<>%(%)]") or v.find(text, "%f[%w_.]%a") then return nil end
        local chunk = load("return " .. text, "=folded", "t", {})
        local ok, number = pcall(chunk or error)
        return ok and math.type(number) and number or nil
    end

    -- The text with the numbers of the spec's `local N <const> = ..` in the place of their names: such a local has no register.
    local function with_constants(text)
        if not v.constants then
            v.constants = {}
            for name, value in v.gmatch(c.text(), "%f[%w_]local%s+([%a_][%w_]*)%s*<%s*const%s*>%s*=%s*([^\n;]*)") do
                local number = folded(v.gsub(v.gsub(value, "%-%-.*", ""), "%f[%w_][%a_][%w_]*", v.constants))
                v.constants[name] = number and ("(%.17g)"):format(number)
            end
        end
        return (v.gsub(text, "%f[%w_][%a_][%w_]*", v.constants))
    end

    -- The numbers that a line writes, and what its sums, products and so on of literals are folded to.
    local numbers_in = {} -- by line
    local function numbers_of_line(line)
        if numbers_in[line] then return numbers_in[line] end
        local list, text = {}, with_constants(text_of(line))
        numbers_in[line] = list
        if not v.find(text, "%d") then return list end
        for word in v.gmatch(text, "%f[%w_.][%d.][%w_.]*") do list[#list + 1] = tonumber(word) end
        text = v.gsub(v.gsub(text, "%f[%w_.][%a_][%w_.]*", ";"), "[^%w%.%s%+%-%*/%%^&|~<>%(%)]", ";")
        for piece in v.gmatch(text, "[^;]+") do
            piece = #piece > MAX_FOLDED and "" or v.match(piece, "^[%s%+%*/%%^&|<>%)]*(.-)[%s%+%-%*/%%^&|~<>%(]*$")
            if v.find(piece, "%w[%s%)]*[%+%-%*/%%^&|~<>]") then
                local _, opened = v.gsub(piece, "%(", "")
                local _, closed = v.gsub(piece, "%)", "")
                for _ = 1, closed - opened do piece = v.match(piece, "^(.*)%)") end
                for _ = 1, opened - closed do piece = v.match(piece, "^[%s%-~]*%((.*)$") or piece end
                list[#list + 1] = folded(piece)
            end
        end
        return list
    end

    -- The numbers that the lines write, those of comparisons first, then those that registers held: what "a == 42" and "a == K" compare with. And how
    -- many of the first are worth being combined.
    local function numbers_of(lines, held)
        local found, list = {}, {}
        local function add(number)
            number = number and (math.tointeger(number) or number)
            if number and number == number and not found[number] then list[#list + 1] = number end
            if number and number == number then found[number] = true end
        end
        local function add_literals(sign)
            for _, line in ipairs(lines) do
                if sign == "" or v.find(text_of(line), sign) then
                    for _, number in ipairs(numbers_of_line(line)) do add(number) end
                end
            end
        end
        add_literals "[=~]="
        for _, number in ipairs(held) do add(number) end
        add_literals ""
        local count = math.min(#list, MAX_COMBINED)
        for number = 1, SMALL_NUMBERS do add(number) end
        for i = 1, count do
            for k = 1, count do
                local a, b = list[i], list[k]
                add(a - b)
                add(a + b)
                if b ~= 0 then add(math.tointeger(a // b) or a / b) end
            end
        end
        return list, count
    end

    -- A literal as a number of the type; nil when it has none such.
    local function held_by(scalar, literal)
        local limits = v.LIMITS[scalar]
        local number = limits[3] and literal + 0.0 or math.tointeger(literal)
        return number and number >= limits[1] and (scalar == "u64" or number <= limits[2]) and number or nil
    end

    -- Sample numbers for a scalar type: small ones and the literals it can hold.
    local function pool_of(scalar, literals)
        local limits = v.LIMITS[scalar]
        local pool = limits[3] and { 0.0, 1.0, 0.5, -1.5, 2.0, 0.0 / 0.0 } or { 0, 1, 2, 5, 3 }
        if limits[1] < 0 and not limits[3] then pool[#pool + 1] = -1 end
        for _, literal in ipairs(literals) do pool[#pool + 1] = held_by(scalar, literal) end
        return pool
    end

    -- take(round, scalar): the round's next number. Round 0: zeros; then each leaf goes through its pool, in its own order. Rounds below 0: two of
    -- the first `count` literals; which of them a leaf has is a bit of its place, so that any two leaves differ in one of these rounds.
    local function sampler(literals, count)
        local pools, leaf = {}, 0
        local function take(round, scalar)
            if round < 0 then
                local pair, bit = -round - 1, (-round - 1) // (count * count)
                local literal = literals[((leaf >> bit & 1) == 0 and pair % count or pair // count % count) + 1]
                leaf = leaf + 1
                return held_by(scalar, literal) or 0
            end
            pools[scalar] = pools[scalar] or pool_of(scalar, literals)
            local pool = pools[scalar]
            leaf = leaf + 1
            if round == 0 then return pool[1] end
            local step = round <= #pool and round + (leaf - 1) * 2 or round * (leaf % 5 + 1) + leaf
            return pool[step % #pool + 1]
        end
        return { begin = function() leaf = 0 end, take = take }
    end

    -- ---- runs ----

    -- fn's arguments of these types: plain, the numbers themselves; else symbols, which stand for the numbers where there are some.
    local function arguments_of(types, numbers, is_plain)
        local arguments, next_number = {}, 0
        for p, T in ipairs(types) do
            local leaf = -1
            arguments[p] = v.unflatten(T, function(S)
                next_number, leaf = next_number + 1, leaf + 1
                if is_plain then return numbers[next_number] end
                local symbol = c.input(p - 1, leaf, S.scalar)
                return numbers and v.shadowed(symbol, numbers[next_number]) or symbol
            end)
            if T.view then arguments[p] = T.view(arguments[p]) end
        end
        return arguments
    end

    -- The scalars of fn's result for arguments with these numbers as Lua numbers, and, but in a plain run, as nodes.
    local function evaluate(is_plain, fn, types, numbers, result)
        local leaves = v.flatten(v.coerce(result, fn(table.unpack(arguments_of(types, numbers, is_plain))), "the result"))
        local values = {}
        for i = 1, #leaves do values[i] = v.number_of(leaves[i]) end
        return values, leaves
    end

    -- The same; or nil and what was raised. Then the first line that made something else than the first trace.
    local function run(with_lines, name, is_plain, fn, types, numbers, ...)
        local is_plain_before, shadows = v.is_plain, v.shadows
        c.watch_lines(with_lines)
        local epoch = c.enter_trace(name, is_plain and "apart" or "again")
        v.is_plain, v.shadows = is_plain, not is_plain and {} or nil
        v.sample_uniforms(numbers.uniforms)
        local give_back = is_plain and v.make_plain(numbers.places)
        local ok, values, leaves = pcall(evaluate, is_plain, fn, types, numbers, ...)
        if give_back then give_back() end
        v.sample_uniforms(nil)
        v.is_plain, v.shadows = is_plain_before, shadows
        local line = c.leave_trace(epoch)
        c.watch_lines(true)
        c.check_time()
        if ok then return values, leaves, line end
        if rawtype(values) ~= "string" or values == "not enough memory" then error(values, 0) end
        return nil, values, line
    end

    -- For opaque functions: fn on plain numbers, at any time; returns numbers.
    function v.run_plain(...)
        v.is_plain, v.is_host = true, true
        local ok, list = pcall(evaluate, true, ...)
        v.is_plain, v.is_host = false, false
        if not ok then error(list, 0) end
        return table.unpack(list)
    end

    local function same(a, b)
        if not a or not b then return a == b end
        for i = 1, #a do
            if a[i] ~= b[i] and not (a[i] ~= a[i] and b[i] ~= b[i]) then return false end
        end
        return true
    end

    -- ---- messages ----

    local function number_text(x) return x ~= x and "nan" or tostring(x) end

    local function shown(T, numbers, first)
        if T.kind == "scalar" and T.scalar ~= "bool" and not v.is_float(T) and numbers[first] ~= numbers[first] then return "a division by 0" end
        if T.kind == "scalar" then return number_text(numbers[first]) end
        local texts = {}
        for i = 1, T.leaves do texts[i] = number_text(numbers[first + i - 1]) end
        return "{" .. table.concat(texts, ", ") .. "}"
    end

    local function recorded(...)
        c.record_lines()
        run(true, ...)
        return c.recorded_lines()
    end

    -- The line after which the two runs part; when they part within one line, the first that looks like it.
    local function likely_line(name, fn, types, numbers, result)
        local plain, traced = recorded(name, true, fn, types, numbers, result), recorded(name, false, fn, types, numbers, result)
        for i = 1, math.max(#plain, #traced) do
            if plain[i] ~= traced[i] then return plain[i - 1] or plain[i] or traced[i] end
        end
        return first_sign(lines_of(fn, plain)) or plain[#plain]
    end

    local function report(name, fn, parameter_names, types, numbers, result, plain, traced, message)
        local texts, first = {}, 1
        for p, T in ipairs(types) do
            texts[p] = parameter_names[p] .. " = " .. shown(T, numbers, first)
            first = first + T.leaves
        end
        for _, u in ipairs(v.uniforms_among(numbers.places)) do
            texts[#texts + 1] = u.name .. " = " .. shown(u.type, numbers.uniforms, u.first + 1)
        end
        local line = likely_line(name, fn, types, numbers, result)
        c.fail_at(line or 0, ("%s: with %s it returns %s, but traced %s: ==, if, and, or, not and tables do not see the value of an expression; "
            .. "write eq, where, land, lor, lnot"):format(name, table.concat(texts, ", "), plain and shown(result, plain, 1) or "an error",
            traced and shown(result, traced, 1) or "an error: " .. v.gsub(message, "^gen/[^:]*:%d+: ", "")))
    end

    -- What fn can leave behind, by upvalue: { name, named, numbered } each.
    local function state_of(fn)
        local list = {}
        repeat
            local named, numbered, name = c.state(fn, #list + 1)
            list[#list + 1] = name and { name, named, numbered }
        until not name
        return list
    end

    -- How a message names upvalue `name` of fn, or the global that a line assigns to, and the line that looks like it.
    local function assigned(fn, name)
        local first, last = c.line_range(fn)
        for line = first, last do
            local text = text_of(line)
            local global = name == "_ENV" and v.match(text, "^%s*([%a_][%w_]*)%s*=[^=]")
            if global then return "'" .. global .. "'", line end
            local is_readable = #text < 1000 -- the search takes the square of it
            if is_readable and v.find(text, "%f[%w_]" .. name .. "%f[^%w_][%w_.%[%]]*%s*=[^=]") then return "'" .. name .. "'", line end
        end
        return name == "_ENV" and "a global" or "'" .. name .. "'", first
    end

    local STATE = "a function may leave nothing behind that another call of it changes or sees; compute it outside, before"

    -- Fails when calls of fn have changed more than entries under numbers and conditions, or, before samples, these: a table of results may be kept,
    -- also by the sample.
    local function check_state(name, fn, before, is_sampled)
        for i, now in ipairs(state_of(fn)) do
            if now[2] ~= before[i][2] or not is_sampled and now[3] ~= before[i][3] then
                local changed, line = assigned(fn, now[1])
                c.fail_at(line, ("%s: each call changes what %s holds, outside of it; %s"):format(name, changed, STATE))
            end
        end
    end

    local function refuse_difference(name, fn, line)
        c.fail_at(line or c.line_range(fn), ("%s: another call of it returns another expression; %s"):format(name, STATE))
    end

    -- fn called once more must make the same expression and leave the same behind, which is returned.
    local function check_again(name, fn, call, leaves)
        local before = state_of(fn)
        local epoch = c.enter_trace(name, "again")
        local held
        c.record_numbers()
        local ok, again = pcall(call)
        local line = c.leave_trace(epoch)
        held = c.recorded_numbers()
        local is_ours = rawtype(again) == "string" and again ~= "not enough memory" and not v.find(again, "was kept", 1, true)
        if not ok and not is_ours then error(again, 0) end
        c.check_time()
        if not ok then
            local at, message = v.match(again, "^spec:(%d+): (.*)$")
            local cause = v.gsub(message or again, ";.*", "")
            c.fail_at(math.tointeger(at) or c.line_range(fn), ("%s: another call of it fails (%s); %s"):format(name, cause, STATE))
        end
        if not c.same_nodes(leaves, again) then refuse_difference(name, fn, line) end
        check_state(name, fn, before, false)
        return before, held
    end

    -- Fails where a sample shows a difference.
    local function check_samples(name, fn, parameter_names, types, result, ran, held, leaves, node_count)
        local lines = lines_of(fn, ran)
        local literals, count = numbers_of(lines, held)
        local samples, compares, leaf_count, bits = sampler(literals, count), first_of(EQUALITIES, lines), 0, 0
        for _, T in ipairs(types) do leaf_count = leaf_count + T.leaves end
        local places = v.uniform_places(fn)
        for _, u in ipairs(v.uniforms_among(places)) do leaf_count = leaf_count + u.type.leaves end
        while compares and 1 << bits < leaf_count do bits = bits + 1 end
        local wanted = compares and FEW_ROUNDS + 1 + #literals or first_sign(lines) and ROUNDS or FEW_ROUNDS
        local most = math.max(2, MAX_SAMPLED_NODES // (node_count + 1))
        if sampled_nodes > MAX_SPEC_NODES then most = math.min(most, ROUNDS) end
        local rounds = math.min(wanted, most)
        local pairs_tried = math.min(bits * count * count, most - rounds)
        sampled_nodes = sampled_nodes + (rounds + pairs_tried) * (node_count + 1)
        for step = 0, rounds + pairs_tried - 1 do
            local round = step < rounds and step or rounds - 1 - step
            local numbers = {}
            samples.begin()
            for _, T in ipairs(types) do
                v.unflatten(T, function(S)
                    numbers[#numbers + 1] = samples.take(round, S.scalar)
                    return 0
                end)
            end
            numbers.places, numbers.uniforms = places, v.numbers_of_uniforms(function(scalar) return samples.take(round, scalar) end)
            local plain = run(false, name, true, fn, types, numbers, result)
            local traced, nodes, line = run(false, name, false, fn, types, numbers, result)
            if traced and not c.same_nodes(leaves, nodes) then refuse_difference(name, fn, line) end
            if not same(plain, traced) then report(name, fn, parameter_names, types, numbers, result, plain, traced, nodes) end
        end
    end

    -- ---- tracing ----

    local function resume(is_plain, shadows, ...)
        v.is_plain, v.shadows = is_plain, shadows
        return ...
    end

    -- f as it is outside of runs on samples: a function may ask for a ready-made monoid's type.
    function v.apart(f)
        return function(...)
            local is_plain, shadows = v.is_plain, v.shadows
            v.is_plain, v.shadows = false, nil
            return resume(is_plain, shadows, f(...))
        end
    end

    local function advice_for_nothing(fn)
        local first, last = c.line_range(fn)
        local advice
        for line = first, last do advice = advice or v.index_advice(text_of(line)) end
        return advice or "return the expression"
    end

    local are_checked = false

    -- make(..), which traces functions that consist of those that were traced and checked before: no samples.
    function v.of_checked(make, ...)
        are_checked = true
        local ok, result = pcall(make, ...)
        are_checked = false
        if not ok then error(result, 0) end
        return result
    end

    -- How many parameters fn has, no more than `most`, and their names.
    function v.check_count(name, fn, most)
        local count, names = c.parameters(fn)
        if count > most then
            fail("%s takes at most %d value%s, this function wants %d; leave out the others", name, most, most == 1 and "" or "s", count)
        end
        return count, names
    end

    -- fn on symbolic arguments of these types. result: the type that it must have, nil for any. checked: by the vocabulary's own word; no samples.
    -- Returns a function handle and the result's type.
    function v.trace(name, fn, parameter_names, types, result, checked)
        if v.source_of(fn) then return v.opaque(name, v.source_of(fn), parameter_names, types, result) end
        if rawtype(fn) ~= "function" then
            fail("%s: expected a function, not %s; write function(%s) .. end", name, describe(fn), table.concat(parameter_names, ", "))
        end
        if not checked and c.epoch() ~= 0 then
            fail("%s: an operation or a monoid cannot be made inside of a traced function; make it outside, before", name)
        end
        local count, own_names = v.check_count(name, fn, #types)
        local is_own = checked or v.is_named_alike(fn)
        local needed = name == "combine" and #types or math.max(math.min(1, #types), count)
        local names, used, params = {}, {}, {}
        for p = 1, needed do
            names[p], used[p] = not is_own and own_names[p] or parameter_names[p], types[p]
            params[p] = { names[p], types[p].handle }
        end
        local nodes_before = c.node_count()
        local function call()
            local value, other = fn(table.unpack(arguments_of(used)))
            if other ~= nil then fail("%s returns several values; return one, as in { x, y } or Name { .. }", name) end
            if value == nil then fail("%s returns nothing; %s", name, advice_for_nothing(fn)) end
            if not result then
                result = v.type_of(value)
                if not result then fail("%s returns %s; give it a type, as in u32(x) or Name { .. }", name, describe(value)) end
                if result.scalar == "bool" then fail("%s returns a condition, which cannot be stored; convert it, as in u32(x)", name) end
            end
            return v.flatten(v.coerce(result, value, name .. ": the result"))
        end
        local epoch = c.enter_trace(name, checked and "apart" or "first")
        if not checked then c.record_lines() end
        local leaves = call()
        local handle = c.func(name, params, result.handle, leaves)
        c.leave_trace(epoch)
        if checked then return handle, result end
        if are_checked then c.recorded_lines() return handle, result end
        local lines, node_count = c.recorded_lines(), c.node_count() - nodes_before
        local before, held = check_again(name, fn, call, leaves)
        check_samples(name, fn, names, used, result, lines, held, leaves, node_count)
        check_state(name, fn, before, true)
        return handle, result
    end
end
