-- sandbox.lua - Lua's standard library as far as a spec may use it, and what Lua's own messages lack.
--
-- What a spec reaches is bounded in memory by the allocator and in time by a hook on instructions. A function of C's has no hook: none that a spec
-- reaches loops over a count that the spec makes up. Most are bounded by a text's length, 1 MiB; others refuse, look at the clock, or are written in
-- Lua. The order of iteration, random numbers and texts of values are the same on every machine.
-- Returns the globals of a spec, which it may change without changing the vocabulary's own, and explain(message).

local rawtype, gsub, find, match = type, string.gsub, string.find, string.match

return function(v)
    local c, fail, describe, sorted_keys = v.c, v.fail, v.describe, v.sorted_keys
    local spec = {}
    for name, value in c.next, v.spec do spec[name] = value end
    v.gmatch, v.gsub, v.find, v.match = string.gmatch, string.gsub, string.find, string.match -- unguarded, for the vocabulary's own short patterns

    local function timed(f)
        return function(...)
            c.check_time()
            return f(...)
        end
    end

    local MAX_VALUES = 1000

    local function library(from, names)
        local copy = {}
        for name in names:gmatch("%w+") do copy[name] = from[name] end
        return copy
    end

    local function shown(x)
        local kind = rawtype(x)
        if kind == "table" and not v.record_of(x) then return kind end
        return kind == "function" and kind or tostring(x)
    end

    -- Lua's own functions compute with numbers, which the values of an expression are not yet.
    local function refuse_expression(name, x, instead)
        if c.is_node(x) or v.record_of(x, v.Value) then
            fail("%s: %s is a value of an expression, not a Lua number; %s", name, describe(x), instead)
        end
    end

    local function refusing(name, f, instead)
        return function(...)
            for i = 1, math.min(select("#", ...), MAX_VALUES) do refuse_expression(name, (select(i, ...)), "write " .. instead) end
            return f(...)
        end
    end

    -- ---- string ----

    local MAX_STEPS = 2e7

    -- Bounds the steps of Lua's pattern matcher, which backtracks once for every quantifier.
    local function check_pattern(s, pattern, plain, is_gmatch)
        local kind = rawtype(s)
        if kind ~= "string" and kind ~= "number" or rawtype(pattern) ~= "string" then return end -- the function itself complains
        local length, steps = #tostring(s) + 1, #pattern + 1
        local function count(what) return select(2, gsub(pattern, what, "")) end
        if not plain then
            steps = steps * 2.0 ^ count "%?"
            for _ = 1, count "[%*%+%-]" + count "%%[%dbf]" do steps = steps * length end
        end
        if plain or is_gmatch or not find(pattern, "^%^") then steps = steps * length end
        if steps > MAX_STEPS then fail("pattern '%s' may take too long on %d bytes; match shorter texts", pattern:sub(1, 40), length - 1) end
    end

    local function guarded(name, f)
        return timed(function(s, pattern, ...)
            check_pattern(s, pattern, name == "find" and select(2, ...), name == "gmatch") -- where ^ is a character
            return f(s, pattern, ...)
        end)
    end

    local text = library(string, "byte char find format gmatch gsub len lower match rep reverse sub upper")
    for _, name in ipairs { "find", "match", "gsub" } do text[name] = guarded(name, string[name]) end
    local replace = text.gsub
    function text.gsub(s, pattern, replacement, ...)
        local t = replacement
        if rawtype(t) == "table" then replacement = function(found) return t[found] end end -- what __index leads to is counted
        return replace(s, pattern, replacement, ...)
    end
    local gmatch = guarded("gmatch", string.gmatch)
    function text.gmatch(s, pattern) return timed(gmatch(s, pattern)) end
    function text.rep(s, n, separator)
        local kind, count = rawtype(s), math.tointeger(n)
        if kind ~= "string" and kind ~= "number" then fail("string.rep: expected a text, not %s", v.describe(s)) end
        if not count then fail("string.rep: expected a count, not %s", v.describe(n)) end
        if count > 0 and count * math.max(#tostring(s) + #tostring(separator or ""), 1.0) > 1 << 20 then
            fail("string.rep: more than 1 MiB; repeat less")
        end
        return string.rep(s, count, separator)
    end
    function text.format(pattern, ...)
        local arguments = table.pack(...)
        if arguments.n > MAX_VALUES then fail("string.format: more than %d values; format fewer at a time", MAX_VALUES) end
        if find(gsub(shown(pattern), "%%%%", ""), "%%%-?%d*p") then fail("string.format: %%p shows an address; use %%s") end
        for i = 1, arguments.n do
            local kind = rawtype(arguments[i])
            if kind ~= "number" and kind ~= "string" and kind ~= "nil" and kind ~= "boolean" then arguments[i] = shown(arguments[i]) end
        end
        local ok, made = pcall(string.format, pattern, table.unpack(arguments, 1, arguments.n))
        if ok then return made end
        for i = 1, arguments.n do refuse_expression("string.format", (select(i, ...)), "it has no text; use it in arithmetic only") end
        error(made, 0)
    end
    -- A spec may change its `string`, not the methods of every text, which the vocabulary uses too.
    local methods = getmetatable("")
    methods.__index = library(text, "byte char find format gmatch gsub len lower match rep reverse sub upper")
    methods.__metatable = "string"
    spec.string = text

    -- ---- table, utf8, math ----

    spec.table = v.file "gen/spec/lua/tables.lua" (v)
    spec.utf8 = library(utf8, "char charpattern codepoint codes")
    for _, name in ipairs { "len", "offset" } do spec.utf8[name] = timed(utf8[name]) end
    spec.math = library(math, "abs ceil exp floor fmod huge log max maxinteger min mininteger modf pi sin cos tan sqrt tointeger type ult")

    local INSTEAD = { abs = "abs(x)", ceil = "ceil(x)", cos = "cos(x)", exp = "exp(x)", floor = "floor(x), which floats have", fmod = "a % b",
        log = "log(x), or log2(x)", max = "max(a, b)", min = "min(a, b)", modf = "trunc(x) and x - trunc(x)", sin = "sin(x)", sqrt = "sqrt(x)",
        tan = "sin(x) / cos(x)", tointeger = "a type, as in i32(x)", ult = "lt(a, b), of unsigned types" }
    for name, instead in c.next, INSTEAD do spec.math[name] = refusing("math." .. name, math[name], instead) end

    function spec.math.random(low, high)
        if c.epoch() ~= 0 then
            fail("math.random: the expression would have one number for every element; draw it outside of the function, or make numbers " ..
                "of the index, as in i * 0x9e3779b1")
        end
        if v.is_host then
            fail("math.random: a host function would return another number for the same values each time; make it of the function's arguments")
        end
        if low == nil then return v.random_unit() end
        if high == nil then low, high = 1, low end
        local least, most = math.tointeger(low), math.tointeger(high)
        if not least or not most or least > most then fail("math.random: an empty range, or no integers; give the least and the greatest") end
        return v.random_integer(least, most)
    end

    -- ---- globals ----

    function spec.pairs(t)
        if rawtype(t) ~= "table" or v.record_of(t) then fail("pairs: expected a table, not %s; name the fields", v.describe(t)) end
        local keys, i = sorted_keys(t), 0
        return function()
            i = i + 1
            if keys[i] ~= nil then return keys[i], t[keys[i]] end
        end
    end
    function spec.next(t, key)
        if rawtype(t) ~= "table" or v.record_of(t) then fail("next: expected a table, not %s; name the fields", v.describe(t)) end
        local keys = sorted_keys(t)
        if key == nil then return keys[1], t[keys[1]] end
        for i, k in ipairs(keys) do
            if k == key then return keys[i + 1], keys[i + 1] ~= nil and t[keys[i + 1]] or nil end
        end
    end

    -- A spec's metatable is read when it is set, into one that no spec reaches: what came later, a __mode say, would have no bound. Where its entries
    -- are no functions, which Lua follows from table to table within one instruction, functions do that.
    local EVENTS = { "__add", "__sub", "__mul", "__div", "__mod", "__pow", "__unm", "__idiv", "__band", "__bor", "__bxor", "__shl", "__shr", "__bnot",
        "__concat", "__eq", "__lt", "__le", "__index", "__newindex", "__call", "__close", "__tostring", "__name" }
    local STEPS = {
        __index = function(t) return function(_, key) return t[key] end end,
        __newindex = function(t) return function(_, key, value) t[key] = value end end,
        __call = function(t) return function(...) return t(...) end end,
    }
    local OWN = {} -- a private key

    local function own_metatable(meta)
        local copy = { [OWN] = true, __metatable = meta }
        for _, event in ipairs(EVENTS) do
            local value = rawget(meta, event)
            local step = value ~= nil and rawtype(value) ~= "function" and STEPS[event]
            copy[event] = step and step(value) or value
        end
        return copy
    end

    local get_metatable, set_metatable = debug.getmetatable, debug.setmetatable
    function spec.setmetatable(t, meta)
        if rawtype(t) ~= "table" then fail("setmetatable: expected a table, not %s; give one", describe(t)) end
        if meta ~= nil and (rawtype(meta) ~= "table" or v.record_of(meta)) then
            fail("setmetatable: expected a table or nil, not %s; give one", describe(meta))
        end
        for _, key in ipairs { "__gc", "__len", "__mode", "__metatable" } do
            if meta and rawget(meta, key) ~= nil then fail("setmetatable: %s is not in a spec's reach; leave it out", key) end
        end
        local old = get_metatable(t)
        if old and not rawget(old, OWN) then fail("setmetatable: %s cannot be changed; build a new one", describe(t)) end
        return set_metatable(t, meta and own_metatable(meta))
    end
    function spec.ipairs(t)
        if v.record_of(t, v.Table) then fail("ipairs: %s has no end: beyond its last entry it is that; write for i = 0, #t - 1 do", describe(t)) end
        return ipairs(t)
    end
    spec.tostring, spec.select, spec.error, spec.assert = shown, select, error, assert
    spec.tonumber = refusing("tonumber", tonumber, "a type, as in u32(x)")
    -- What fails inside of a traced function, or of a pipeline's, leaves the vocabulary as it was before.
    local function restored(epoch, is_plain, shadows, pipeline, length, ok, ...)
        c.leave_trace(epoch)
        v.leave_pipeline(pipeline, length, ok)
        v.is_plain, v.shadows = is_plain, shadows
        return ok, ...
    end
    function spec.pcall(...)
        local pipeline, length = v.running_pipeline()
        return restored(c.epoch(), v.is_plain, v.shadows, pipeline, length, pcall(...))
    end
    spec.rawget, spec.rawset, spec.rawequal, spec.rawlen, spec.getmetatable = rawget, rawset, rawequal, rawlen, getmetatable
    spec.type = rawtype
    spec._VERSION = _VERSION
    spec._G = spec
    setmetatable(spec, { [OWN] = true, __metatable = "globals",
        __index = function(_, name) if rawtype(name) == "string" then v.note_absent(name) end end })

    -- ---- messages ----

    local ABSENT = { io = true, os = true, debug = true, package = true, coroutine = true, require = true, load = true, loadstring = true,
        loadfile = true, dofile = true, collectgarbage = true, print = true, xpcall = true }

    local MAX_NAMES, MAX_NAME_BYTES = 300, 64 -- beyond them comparing takes long

    local function known_names()
        local names = {}
        for name in c.next, spec do
            if rawtype(name) == "string" and #name <= MAX_NAME_BYTES then names[#names + 1] = name end
            if #names > MAX_NAMES then return {} end
        end
        table.sort(names)
        return names
    end

    function v.closest_global(name) return v.closest(name, known_names()) end

    local REMEDIES = {
        { "C stack overflow", "the text nests too deeply, or has too many operands in one expression; build it in a loop" },
        { "stack overflow", "a spec's functions may not call themselves so deeply; use a loop" },
        { "attempt to load a binary chunk", "a spec is a text" },
        { "attempt to compare", "values of a spec are compared with lt, le, gt, ge, eq, ne" },
        { "attempt to index", "only types, structs, vecs and tables have fields; check the name before the dot" },
        { "attempt to call", "check the name" },
        { "attempt to concatenate", "join texts and numbers only" },
        { "attempt to perform", "check that every operand has a value" },
        { "'for' ", "a loop's bounds are Lua numbers, known when the spec is read; choose among values with where" },
        { "got userdata", "a value of an expression is no Lua number; use the language's own functions, and where to choose" },
        { "bad argument", "check the function's arguments" },
        { "near ", "correct the Lua text there" },
    }

    -- The message with a remedy, where it has none.
    local function explain(message)
        if find(message, "; ", 1, true) then return message end
        local name = match(message, "global '([^']*)'")
        if name and ABSENT[name] then
            return message .. "; a spec has no " .. name .. ", only its own words and Lua's math, string, table and utf8"
        end
        if name and find(message, "a nil value", 1, true) then
            local near = v.own_type(name) or v.closest_global(name)
            return message .. "; no such name here: define it, " .. (near and "give it with -D, or did you mean '" .. near
                .. "'?" or "or give it with -D")
        end
        for _, remedy in ipairs(REMEDIES) do
            if find(message, remedy[1], 1, true) then return message .. "; " .. remedy[2] end
        end
        return message .. "; correct the spec"
    end

    return spec, explain
end
