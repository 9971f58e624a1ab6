-- tuning.lua - tables of measured rows, and which of them an operation on a target goes by.
--
-- A table is a Lua text that calls row { .. } for each:
--   backend   "cuda" or "vulkan"
--   arch      "sm_90": this CUDA architecture and later ones, as long as no row names one nearer; "lavapipe", "nvidia", ..: this driver; none: any
--   class     "device": what the model of pipelines' cuts knows of a device. Else knobs for operations: "scan", "scan_narrow" (which returns half of
--             an element's bytes or less), "scan_everywhere" (by a balanced tree), "reduce", "map", "sweep" (with a monoid), "sweep_packed"
--             (without), "sweep_packed_narrow" (of 16 bits at most, places instead of indices included), "sweep_everywhere" (several arrays by a
--             balanced tree), "sweep_segments" (results of segments by offsets), "scan_segments" (their scans), "sort" (keys), "sort_pairs" (keys and
--             values), "sort_fields" (the same, keys of several fields)
--   bytes     of the wider of an input and an output element; of several arrays, of the inputs together; of sorts, of an item in shared memory.
--             A number, or { least, most }
--   strategy  which kernels the knobs are for; of a scan's: the one for large n (none: any)
--   from      look-ahead, msd_hybrid, counting: bytes read and written from which on it is the faster
--   shared    bytes of shared memory that a block must be able to have (0)
--   knobs     { block = .., items = .., .. }
--   device    of class "device": rows for devices whose name has this text, as "H100"; none: any. Where no name is known rows without one come first
--   constants of class "device", and all that it has beside: { bandwidth = .., launch_seconds = .., .. }; gen/choices.c lists them. Those that are
--             left out are a large GPU's
--   figure    what was measured with them; date: when
-- Whoever loads this module sets two globals: run_text(name, text, globals), of lua_limits.c, which runs a table under limits of time and memory;
-- and choices, of choices.c, by which rows are checked.
-- The first table comes before the others; within one the nearest architecture, then the narrowest range of bytes, then the first row.

local tuning = {}

local choices = assert(choices)
local FIELDS = { backend = "string", arch = "string", class = "string", bytes = "number", strategy = "string", from = "number", shared = "number",
    knobs = "table", device = "string", constants = "table", figure = "string", date = "string" }
local OF_DEVICES = { backend = true, arch = true, class = true, device = true, constants = true, figure = true, date = true }
-- And each kind by its name.
local CLASSES = { scan_narrow = true, scan_everywhere = true, sweep_everywhere = true, sort_pairs = true, sort_fields = true,
    sweep_packed = true, sweep_packed_narrow = true, sweep_segments = true, scan_segments = true }
for kind in next, choices.strategies do CLASSES[kind] = true end
CLASSES.pipeline = nil -- its stages have classes

local function sorted(t)
    local keys = {}
    for key in next, t do keys[#keys + 1] = tostring(key) end
    table.sort(keys)
    return keys
end

local function list(t) return table.concat(sorted(t), ", ") end

-- In a message: bytes that a terminal obeys, or C ends texts at, are dots.
local function shown(value) return (tostring(value):sub(1, 40):gsub("%c", ".")) end

local function check_knobs(kind, knobs)
    for _, name in ipairs(sorted(knobs)) do
        if not choices.row_knobs[name] then return ("no knob is called '%s'; there are %s"):format(shown(name), list(choices.row_knobs)) end
        local wrong = choices.fault(kind, name, tostring(knobs[name]))
        if wrong then return ("%s = %s: %s; correct it"):format(name, shown(knobs[name]), wrong) end
    end
end

-- Of a row for devices.
local function check_constants(r)
    for _, field in ipairs(sorted(r)) do
        if not OF_DEVICES[field] then return ("a row of class device has no field '%s'; it has %s"):format(field, list(OF_DEVICES)) end
    end
    if not r.constants then return "constants are missing; write constants = { bandwidth = 4e12, .. }" end
    for _, name in ipairs(sorted(r.constants)) do
        local constant, value = choices.constants[name], r.constants[name]
        if not constant then return ("no constant is called '%s'; there are %s"):format(shown(name), list(choices.constants)) end
        local is_number = constant.is_whole and math.type(value) == "integer" or not constant.is_whole and type(value) == "number"
        if not is_number or not (value >= constant.least and value <= constant.most) then
            return ("%s = %s: it is a %snumber from %.17g to %.17g; correct it"):format(name, shown(value), constant.is_whole and "whole " or "",
                constant.least, constant.most)
        end
    end
end

-- What is wrong with a row; nil: nothing.
local function fault(r)
    if type(r) ~= "table" then return "a row is a table; write row { .. }" end
    for field, value in next, r do
        local kind = FIELDS[field]
        if not kind then return ("a row has no field '%s'; it has %s"):format(shown(field), list(FIELDS)) end
        if kind == "number" and math.type(value) == "integer" and value >= 0 or type(value) == kind and kind ~= "number" then goto good end
        if field ~= "bytes" or type(value) ~= "table" then
            return ("%s is not a %s; correct it"):format(field, kind == "number" and "whole number" or kind)
        end
        ::good::
    end
    if r.backend ~= "cuda" and r.backend ~= "vulkan" then return "backend is missing; it is \"cuda\" or \"vulkan\"" end
    if r.class == "device" then return check_constants(r) end
    if r.device or r.constants then return "device and constants are of rows of class \"device\"; take them out" end
    if not CLASSES[r.class] then return "class is missing, or none that there is; there are device, " .. list(CLASSES) end
    local kind = r.class:match("^%a+")
    local strategies = choices.strategies[kind]
    if r.strategy and not strategies[r.strategy] then
        return ("no row of class %s is for strategy '%s'; they are for %s"):format(r.class, shown(r.strategy), list(strategies))
    end
    local bytes = type(r.bytes) == "table" and r.bytes or { r.bytes, r.bytes }
    if math.type(bytes[1]) ~= "integer" or math.type(bytes[2]) ~= "integer" then return "bytes is missing; write bytes = 4, or bytes = { 2, 15 }" end
    return check_knobs(kind, r.knobs or {})
end

local function arch_number(arch) return arch and tonumber(arch:match("_(%d+)")) end

-- The class whose rows serve where those of a narrow one do not.
local function general(class) return (class:gsub("_narrow$", "")) end

-- The rows of a text; of those that serve this class alone, where one is given. Errors are raised as "name:line: cause; what to do".
function tuning.read(name, text, class)
    local rows, strings = {}, getmetatable("")
    local function row(r)
        strings.__index = string
        local caller = debug.getinfo(2, "l")
        local line = caller and caller.currentline or 0 -- 0: `return row { .. }`, of which Lua keeps no line
        local wrong = fault(r)
        if wrong then error(("%s:%d: %s"):format(name, line, wrong), 0) end
        if class and r.class ~= class and r.class ~= general(class) then
            strings.__index = nil
            return
        end
        local copy = { place = ("%s:%d"):format(name, line) }
        for field, value in next, r do copy[field] = value end
        copy.least = type(r.bytes) == "table" and r.bytes[1] or r.bytes
        copy.most = type(r.bytes) == "table" and r.bytes[2] or r.bytes
        copy.bytes = type(r.bytes) == "table" and { copy.least, copy.most } or r.bytes -- as checked: the table's text goes on
        local own = r.class == "device" and "constants" or "knobs"
        copy[own] = {}
        for name, value in next, r[own] or {} do copy[own][name] = value end
        rows[#rows + 1] = copy
        strings.__index = nil
    end
    strings.__index = nil -- no library is in a table's reach
    local ok, why, is_text = run_text(name, text, { row = row })
    strings.__index = string
    if not ok then
        why = tostring(why)
        if why:sub(1, #name) ~= name then why = name .. ": " .. why end -- out of memory, or no text
        local remedy = is_text and "; a table is rows only: correct it, or remove it" or "; correct the table, or remove it"
        error(why:find("; ", 1, true) and why or why .. remedy, 0)
    end
    return rows
end

-- How near a row's architecture is; nil: it serves another.
local function nearness(r, query)
    if not r.arch then return 0 end
    local number, own = arch_number(query.arch), arch_number(r.arch)
    if number and own then return own <= number and own or nil end
    return r.arch == query.arch and 1 or nil
end

-- How near a row's device is, of a row that names one; nil: it serves another.
local function device_nearness(r, query)
    if not r.device then return 1 end
    if not query.device then return 0 end
    return query.device:find(r.device, 1, true) and 2 or nil
end

-- How narrow the range of bytes is in which a row serves the query; nil: it does not.
local function span(r, query)
    if r.class == "device" then return 0 end
    return query.bytes >= r.least and query.bytes <= r.most and query.shared >= (r.shared or 0) and r.most - r.least or nil
end

-- Rows that serve the query, best first.
local function matching(tables, query)
    local found = {}
    for t, rows in ipairs(tables) do
        for i, r in ipairs(rows) do
            local near, device = nearness(r, query), device_nearness(r, query)
            local is_general = r.class ~= query.class
            local serves = not is_general or r.class == general(query.class)
            if near and device and r.backend == query.backend and serves and span(r, query) then
                found[#found + 1] = { row = r, key = { t, is_general and 1 or 0, -near, -device, span(r, query), i } }
            end
        end
    end
    table.sort(found, function(a, b)
        for k = 1, #a.key do
            if a.key[k] ~= b.key[k] then return a.key[k] < b.key[k] end
        end
        return false
    end)
    return found
end

local function measured(r)
    if not r.figure and not r.date then return "" end
    return (" (%s%s%s)"):format(r.figure or "", r.figure and r.date and ", " or "", r.date or "")
end

local function note(r)
    local words = {}
    for _, name in ipairs(sorted(r.knobs)) do words[#words + 1] = name .. "=" .. r.knobs[name] end
    local bytes = r.least == r.most and ("%d"):format(r.least) or ("%d to %d"):format(r.least, r.most)
    return ("%s: %s of %s bytes%s%s: %s%s"):format(r.place, r.class, bytes, r.arch and " on " .. r.arch or "", r.strategy and ", " .. r.strategy
        or "",
        #words > 0 and table.concat(words, " ") or "as it is", measured(r))
end

-- As C takes it: knobs are texts in the order of their names.
local function taken(r, from)
    if not r then return nil end
    local names, values = sorted(r.knobs), {}
    for i, name in ipairs(names) do values[i] = tostring(r.knobs[name]) end
    return { names = names, values = values, note = note(r), from = from or 0 }
end

-- Strategies that are one of several in a plan, for large n: rows for them stand beside the others.
tuning.LARGE = { lookahead = true, msd_hybrid = true, counting = true }

-- query: backend, arch, class, bytes, shared, strategy (nil: the planner's choice), large (the one of LARGE that the operation may have). general:
-- for kernels of any other strategy; lookahead: for those of `large`; preferred: a scan's strategy for large n.
function tuning.choose(tables, query)
    local general, lookahead, from, preferred
    for _, match in ipairs(matching(tables, query)) do
        local r = match.row
        if tuning.LARGE[r.strategy] then
            if r.strategy == query.large then lookahead, from = lookahead or r, from or r.from end
        elseif not r.strategy or not query.strategy or r.strategy == query.strategy then
            general = general or r
        end
        preferred = preferred or r.strategy
    end
    return { general = taken(general), lookahead = taken(lookahead, from), preferred = preferred }
end

-- The row of class "device" for the query: backend, arch, device (nil: no name is known). As C takes it; nil: there is none.
function tuning.device(tables, query)
    query.class = "device"
    local best = matching(tables, query)[1]
    if not best then return nil end
    local r = best.row
    local note = ("%s: device%s%s%s"):format(r.place, r.device and " " .. shown(r.device) or "", r.arch and " on " .. r.arch or "", measured(r))
    return { constants = r.constants, note = note }
end

return tuning
