-- functions.lua - from a Lua function to an expression: traced once on symbolic arguments, then run on samples.
--
-- Control flow that depends on values cannot be traced, and much of it cannot even be seen: "a == 0" between a node and a number is false
-- without a metamethod, "if a", "a and b", "not a" ask no one. So the function also runs on numbers, twice on each sample: plain, on Lua
-- numbers, for which all this means what it says; and wrapped, on objects that hold the same numbers, to which it is as blind as a trace.
-- Both compute with Lua's arithmetic (gen/plain.lua), so nothing but such control flow, or state between calls, can make a difference.
-- A function whose lines have nothing of the kind is not run on samples.

local rawtype = type

return function(v)
    local c, fail, describe = v.c, v.fail, v.describe

    local MAX_ROUNDS, MAX_LITERALS, MAX_SAMPLED_NODES, MAX_GAP = 20, 12, 20000, 20

    -- ---- samples ----

    -- The spec's text of a line, without its comment.
    local function text_of(line)
        if not v.text_lines then
            v.text_lines = {}
            for text in v.gmatch(c.text(), "([^\n]*)\n?") do v.text_lines[#v.text_lines + 1] = v.gsub(text, "%-%-.*", "") end
        end
        return v.text_lines[line] or ""
    end

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

    -- What may look at a value and not be seen: comparisons, conditions, tables.
    local SIGNS = { "[=~]=", "%f[%w_]if%f[^%w_]", "%f[%w_]and%f[^%w_]", "%f[%w_]or%f[^%w_]", "%f[%w_]not%f[^%w_]", "%f[%w_]while%f[^%w_]",
        "%f[%w_]until%f[^%w_]", "%[", "%f[%w_]raw", "%f[%w_]assert%f[^%w_]", "%f[%w_]type%f[^%w_]", "%f[%w_]select%f[^%w_]", "%f[%w_]tostring%f[^%w_]" }

    local function first_sign(lines)
        for _, sign in ipairs(SIGNS) do
            for _, line in ipairs(lines) do if v.find(text_of(line), sign) then return line end end
        end
    end

    -- The numbers that the lines write: what "a == 42" compares with.
    local function literals_of(lines)
        local found, list = {}, {}
        for _, line in ipairs(lines) do
            for word in v.gmatch(text_of(line), "%f[%w_.][%d.][%w_.]*") do
                local literal = tonumber(word)
                if literal and not found[literal] and #list < MAX_LITERALS then
                    found[literal] = true
                    list[#list + 1] = literal
                end
            end
        end
        return list
    end

    -- Sample numbers for a scalar type: small ones and the literals it can hold.
    local function pool_of(scalar, literals)
        local limits = v.LIMITS[scalar]
        local pool = limits[3] and { 0.0, 1.0, 0.5, -1.5, 2.0, 0.0 / 0.0 } or { 0, 1, 2, 5, 3 }
        if limits[1] < 0 and not limits[3] then pool[#pool + 1] = -1 end
        for _, literal in ipairs(literals) do
            local number = limits[3] and literal + 0.0 or math.tointeger(literal)
            if number and number >= limits[1] and (scalar == "u64" or number <= limits[2]) then pool[#pool + 1] = number end
        end
        return pool
    end

    -- take(round, scalar): the round's next number. Round 0: zeros; then each leaf goes through its pool, in its own order.
    local function sampler(literals)
        local pools, leaf = {}, 0
        local function take(round, scalar)
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

    -- The scalars of fn's result, as Lua numbers, for arguments with these scalars.
    local function evaluate(how, fn, types, numbers, result)
        local arguments, next_number = {}, 0
        v.sampling = how
        for p, T in ipairs(types) do
            arguments[p] = v.unflatten(T, function()
                next_number = next_number + 1
                return v.sampled(numbers[next_number])
            end)
        end
        local leaves = v.flatten(v.coerce(result, fn(table.unpack(arguments)), "the result"))
        for i = 1, #leaves do leaves[i] = v.number_of(leaves[i]) end
        return leaves
    end

    -- The same; or nil and what was raised.
    local function run(with_lines, how, ...)
        c.watch_lines(with_lines)
        local ok, list = pcall(evaluate, how, ...)
        c.watch_lines(true)
        v.sampling = nil
        c.check_time()
        if ok then return list end
        if rawtype(list) ~= "string" or list == "not enough memory" then error(list, 0) end
        return nil, list
    end

    -- For opaque functions: fn on plain numbers, at any time; gives numbers.
    function v.run_plain(...)
        local ok, list = pcall(evaluate, "plain", ...)
        v.sampling = nil
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
        if T.kind == "scalar" then return number_text(numbers[first]) end
        local texts = {}
        for i = 1, T.leaves do texts[i] = number_text(numbers[first + i - 1]) end
        return "{" .. table.concat(texts, ", ") .. "}"
    end

    local function recorded(how, fn, types, numbers, result)
        c.record_lines()
        run(true, how, fn, types, numbers, result)
        return c.recorded_lines()
    end

    -- The line after which the two runs part; when they part within one line, the first that looks like it.
    local function likely_line(fn, types, numbers, result)
        local plain, wrapped = recorded("plain", fn, types, numbers, result), recorded("wrapped", fn, types, numbers, result)
        for i = 1, math.max(#plain, #wrapped) do
            if plain[i] ~= wrapped[i] then return plain[i - 1] or plain[i] or wrapped[i] end
        end
        return first_sign(lines_of(fn, plain)) or plain[#plain]
    end

    local function report(name, fn, parameter_names, types, numbers, result, plain, wrapped, message)
        local texts, first = {}, 1
        for p, T in ipairs(types) do
            texts[p] = parameter_names[p] .. " = " .. shown(T, numbers, first)
            first = first + T.leaves
        end
        local line = likely_line(fn, types, numbers, result)
        c.fail_at(line or 0, ("%s: with %s it gives %s, but traced %s: ==, if, and, or, not and tables do not see the value of an expression; "
            .. "write eq, where, land, lor, lnot"):format(name, table.concat(texts, ", "), plain and shown(result, plain, 1) or "an error",
            wrapped and shown(result, wrapped, 1) or "an error: " .. message))
    end

    local function check_samples(name, fn, parameter_names, types, result, ran, node_count)
        local lines = lines_of(fn, ran)
        if not first_sign(lines) then return end
        local samples = sampler(literals_of(lines))
        local rounds = math.min(MAX_ROUNDS, math.max(2, MAX_SAMPLED_NODES // (node_count + 1)))
        local random_state = v.random_state
        for round = 0, rounds - 1 do
            local numbers = {}
            samples.begin()
            for _, T in ipairs(types) do
                v.unflatten(T, function(S)
                    numbers[#numbers + 1] = samples.take(round, S.scalar)
                    return 0
                end)
            end
            v.random_state = random_state
            local plain = run(false, "plain", fn, types, numbers, result)
            v.random_state = random_state
            local wrapped, message = run(false, "wrapped", fn, types, numbers, result)
            if not same(plain, wrapped) then report(name, fn, parameter_names, types, numbers, result, plain, wrapped, message) end
        end
    end

    -- ---- tracing ----

    local function symbols(types, needed)
        local arguments = {}
        for p = 1, needed do
            local leaf = -1
            arguments[p] = v.unflatten(types[p], function(T)
                leaf = leaf + 1
                return c.input(p - 1, leaf, T.scalar)
            end)
        end
        return arguments
    end

    -- fn on symbolic arguments of these types. result: the type that it must have, nil for any. checked: by the vocabulary's own word; no samples.
    -- Gives a function handle and the result's type.
    function v.trace(name, fn, parameter_names, types, result, checked)
        if v.source_of(fn) then return v.opaque(name, v.source_of(fn), parameter_names, types, result) end
        if rawtype(fn) ~= "function" then fail("%s: expected a function, not %s; write function(%s) .. end", name, describe(fn), table.concat(parameter_names, ", ")) end
        local count, own_names = c.parameters(fn)
        if count > #types then fail("%s takes at most %d value%s, this function wants %d; leave out the others", name, #types, #types == 1 and "" or "s", count) end
        local needed = name == "combine" and #types or math.max(1, count)
        local names, used, params = {}, {}, {}
        for p = 1, needed do
            names[p], used[p] = own_names[p] or parameter_names[p], types[p]
            params[p] = { names[p], types[p].handle }
        end
        local random_state, nodes_before = v.random_state, c.node_count()
        c.record_lines()
        local value, other = fn(table.unpack(symbols(types, needed)))
        if other ~= nil then fail("%s returns several values; return one, as in { x, y } or Name { .. }", name) end
        if value == nil then fail("%s returns nothing; return the expression", name) end
        if not result then
            result = v.type_of(value)
            if not result then fail("%s returns %s; give it a type, as in u32(x) or Name { .. }", name, describe(value)) end
            if result.scalar == "bool" then fail("%s returns a condition, which cannot be stored; convert it, as in u32(x)", name) end
        end
        local leaves = v.flatten(v.coerce(result, value, name .. ": the result"))
        local lines = c.recorded_lines()
        local after = v.random_state
        if not checked then
            v.random_state = random_state
            check_samples(name, fn, names, used, result, lines, c.node_count() - nodes_before)
        end
        v.random_state = after
        return c.func(name, params, result.handle, leaves), result
    end
end
