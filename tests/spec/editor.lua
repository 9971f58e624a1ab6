-- Compares editor/monosweep.lua and docs/spec-reference.md with the vocabulary: names, parameters, what is not in this version; and the word that
-- docs/adding-an-operation.md shows with its source. root: of the tree; globals: the names of a spec's globals, with blanks between;
-- absent: those that are not in this version. knobs: those of `tune`. Returns a line a complaint.

local root, globals, absent, knobs = ...
local complaints = {}
local function complain(...) complaints[#complaints + 1] = string.format(...) end

local function read(path)
    local file <close> = assert(io.open(root .. "/" .. path))
    return file:read("a")
end

local function set_of(list)
    local set = {}
    for name in list:gmatch("[%w_]+") do set[name] = true end
    return set
end

local function compare(what, annotated, known)
    for name in pairs(known) do if not annotated[name] then complain("%s: %s has no annotation", what, name) end end
    for name in pairs(annotated) do if not known[name] then complain("%s: %s is annotated, but there is no such thing", what, name) end end
end

-- ---- what the file says: functions and constants by name, fields by class ----

local text = read "editor/monosweep.lua"
assert(load(text, "=editor/monosweep.lua", "t"))
local annotated, deprecated, classes = {}, {}, {}

-- A function's parameters and its result have annotations, but where it is said to be absent.
local function check_function(name, parameters, comments)
    if comments:find("@deprecated", 1, true) then deprecated[name] = true return end
    if name ~= "spec_version" and not comments:find("@return", 1, true) then complain("%s: does not say what it returns", name) end
    for parameter in parameters:gmatch "[%w_.]+" do
        if not comments:find("@param " .. parameter .. " ", 1, true) and not comments:find("@param " .. parameter .. "? ", 1, true) then
            complain("%s: says nothing of %s", name, parameter)
        end
    end
end

local comments = {}
for line in text:gmatch "([^\n]*)\n" do
    if line:find "^%-%-%-" then
        comments[#comments + 1] = line
    else
        local above = table.concat(comments, "\n")
        local name, parameters = line:match "^function ([%w_]+)%(([^)]*)%) end$"
        local class = above:match "@class monosweep%.([%w_]+)"
        name = name or line:match "^([%w_]+) = nil$"
        if name then annotated[name] = true end
        if parameters then check_function(name, parameters, above) end
        if class then
            classes[class] = {}
            for field in above:gmatch "\n%-%-%-@field ([%w_]+)" do classes[class][field] = true end
        end
        comments = {}
    end
end

-- ---- the globals, but for Lua's own, which editors know ----

local known = set_of(globals)
local of_lua = set_of("_G _VERSION assert error getmetatable ipairs math next pairs pcall rawequal rawget rawlen rawset select setmetatable " ..
    "string table tonumber tostring type utf8")
for name in pairs(of_lua) do
    if not known[name] then complain("%s is no global of a spec; take it out of this test", name) end
    known[name] = nil
end
compare("globals", annotated, known)
compare("not in this version", deprecated, set_of(absent))

-- ---- the fields of tables ----

local gen = {}
for _, module in ipairs { "fold", "sort", "map", "packing", "segments", "append", "monoids", "keys", "opaque" } do
    gen[#gen + 1] = read("gen/spec/lua/" .. module .. ".lua")
end
gen = table.concat(gen)
local tables = 0
local of_all = read("gen/spec/lua/operations.lua"):match 'known = table.move%((%b{})'
local function compare_tables(pattern, more)
    for name, list in gen:gmatch(pattern) do
        tables = tables + 1
        compare(name, classes[name] or {}, set_of(list .. more))
    end
end
compare_tables('v.new_kind%("([%l_]+)", (%b{})', of_all)
compare_tables('%("(%l+)", t, (%b{})', "")
if tables ~= 15 then
    complain("%d functions with tables of parameters were found, not scan, reduce, sort, map, compact, partition, unique, run_length_encode, " ..
        "reduce_by_key, segmented_scan, segmented_reduce, append, monoid, key, source", tables)
end
local arrays = read "gen/spec/lua/arrays.lua"
local entry = arrays:match "ENTRY_WORDS = (%b{})" -- of outputs
for _, class in ipairs { "element_output", "scan_output" } do
    compare(class, classes[class], set_of(entry))
end
compare("near", classes.near, set_of(arrays:match "near has no '%%s'; it has ([%l, ]+)"))
compare("tune", classes.tune, set_of(knobs))
compare("by", classes.by, set_of(gen:match "options, (%b{})"))
local scalars = set_of "bool"
for name in read("gen/spec/lua/values.lua"):match("LIMITS = (%b{})"):gmatch "(%w+) = {" do scalars[name] = true end
compare("r of sample", classes.Sampler, scalars)
for _, class in ipairs { "Integer", "Float" } do
    for field in pairs(classes[class]) do
        if not read("gen/spec/lua/values.lua"):find('key == "' .. field .. '"', 1, true) then complain("%s: there is no %s", class, field) end
    end
end

-- ---- the reference: all of these, and no function beside them ----

local page = read "docs/spec-reference.md"
local named, lua = {}, set_of(globals)
for code in page:gmatch "`([^`]+)`" do
    for word in code:gmatch "[%a_][%w_]*" do named[word] = true end
    for word in code:gmatch "%f[%w_](%l[%w_]+)%(" do
        local is_field = lua[word]
        for _, fields in pairs(classes) do is_field = is_field or fields[word] end
        if not is_field then complain("docs/spec-reference.md: %s(..): there is no such function", word) end
    end
end
for word in pairs(lua) do if not named[word] and not word:find "^_" then complain("docs/spec-reference.md: says nothing of %s", word) end end
for class, fields in pairs(classes) do
    for field in pairs(fields) do if not named[field] then complain("docs/spec-reference.md: %s: says nothing of %s", class, field) end end
end

-- ---- the word that docs/adding-an-operation.md shows is the word that there is ----

local packing = read "gen/spec/lua/packing.lua"
for line in read("docs/adding-an-operation.md"):match("\n```lua\n(.-)```"):gmatch "[^\n]+" do
    if not packing:find("\n    " .. line .. "\n", 1, true) then complain("docs/adding-an-operation.md: packing.lua has no line %s", line) end
end

return table.concat(complaints, "\n")
