-- share.lua - definitions that several kernels' texts have in common, each stated once: a vendored header has them before its kernels.
--
-- share(texts) -> parts, kernels
--   parts    { text, kernels = {numbers}, parts = {numbers of the earlier parts that it may use}, macros = {names that it defines} } each, in order
--   kernels  { text, parts, macros } each: what is a kernel's own, and the parts that it uses
--
-- In a part a name means what it means in every kernel that uses the part: no such kernel defines it in another way, or has the word without a
-- definition. What a shared definition uses is shared, too.

local file = ...
local definitions = file "gen/emit/definitions.lua"

local LEAST_LINES = 20 -- that a part saves

local function parse(text)
    local kernel = { head = {}, lines = {}, by_name = {}, words = {}, part_of = {}, parts = {} }
    for line in text:gmatch("([^\n]*)\n") do
        local list = #kernel.lines == 0 and line:find("^//") and kernel.head or kernel.lines
        list[#list + 1] = line
    end
    kernel.list = definitions.split(kernel.lines)
    for i, d in ipairs(kernel.list) do
        d.text = table.concat(kernel.lines, "\n", d.first, d.last):gsub("^\n+", "")
        d.is_apart, d.line_count, d.words, d.name = kernel.lines[d.first] == "", d.last - d.first + 1, {}, d.macro or d.name
        for word in d.text:gmatch("[%a_][%w_]*") do d.words[word], kernel.words[word] = true, true end
        if d.name and i < #kernel.list then kernel.by_name[d.name] = kernel.by_name[d.name] and { words = {} } or d end -- twice: its own
    end
    return kernel
end

local function is_definition(agreed) return type(agreed) == "table" end

-- The names that these kernels can share: the definition, or the number of the part that all of them have it from; false: they cannot.
local function agreed_names(group)
    local agreed, count = {}, {}
    for _, kernel in ipairs(group) do
        for name, d in pairs(kernel.by_name) do
            local mine, before = kernel.part_of[name] or d, agreed[name]
            local is_same = before == nil or before == mine or is_definition(before) and is_definition(mine) and before.text == mine.text
            agreed[name], count[name] = is_same and (not is_definition(mine) or mine.text ~= nil) and mine, (count[name] or 0) + 1
        end
    end
    for name, d in pairs(agreed) do
        for _, kernel in ipairs(d and group or {}) do
            if not is_definition(d) then agreed[name] = agreed[name] and kernel.parts[-d] and d or false
            elseif count[name] < 2 or kernel.words[name] and not kernel.by_name[name] then agreed[name] = false end
        end
    end
    repeat
        local is_done = true
        for name, d in pairs(agreed) do
            for word in pairs(is_definition(d) and d.words or {}) do
                if agreed[word] == false then agreed[name], is_done = false, false end
            end
        end
    until is_done
    return agreed, count
end

local function gain_of(group)
    local gain, agreed, count = 0, agreed_names(group)
    for name, d in pairs(agreed) do
        if is_definition(d) then gain = gain + (count[name] - 1) * d.line_count end
    end
    return gain
end

-- A macro has no scope, so all kernels must agree on it.
local function keep_macros(kernels)
    local agreed = agreed_names(kernels)
    for _, kernel in ipairs(kernels) do
        for name, d in pairs(kernel.by_name) do
            if d.macro and not agreed[name] then kernel.by_name[name] = { words = {} } end
        end
    end
end

-- Groups of kernels that could share something: those that have a definition in common.
local function groups_of(kernels)
    local groups, by_text, seen = {}, {}, {}
    for _, kernel in ipairs(kernels) do
        for _, d in ipairs(kernel.list) do
            if kernel.by_name[d.name] == d and not kernel.part_of[d.name] then
                by_text[d.text] = by_text[d.text] or {}
                table.insert(by_text[d.text], kernel)
            end
        end
    end
    for _, kernel in ipairs(kernels) do
        for _, d in ipairs(kernel.list) do
            local group = by_text[d.text]
            if group and #group > 1 and not seen[group] then groups[#groups + 1], seen[group] = group, true end
        end
    end
    return groups
end

-- The group that saves most lines, the first of equal ones.
local function best_group(kernels)
    local best, most, tried = nil, LEAST_LINES - 1, {}
    for _, group in ipairs(groups_of(kernels)) do
        local key = {}
        for k, kernel in ipairs(group) do key[k] = kernel.number end
        key = table.concat(key, " ")
        local gain = tried[key] or gain_of(group)
        tried[key] = gain
        if gain > most then best, most = group, gain end
    end
    return best
end

local function take_part(group, number)
    local agreed, part, lines, seen = agreed_names(group), { kernels = {}, parts = {}, macros = {} }, {}, {}
    local is_visible = { [number] = true }
    for _, earlier in ipairs(group[1].parts) do
        local count = 0
        for _, kernel in ipairs(group) do count = count + (kernel.parts[-earlier] and 1 or 0) end
        if count == #group then part.parts[#part.parts + 1], is_visible[earlier] = earlier, true end
    end
    for k, kernel in ipairs(group) do
        part.kernels[k] = kernel.number
        kernel.parts[#kernel.parts + 1], kernel.parts[-number] = number, true
        for _, d in ipairs(kernel.list) do
            if kernel.by_name[d.name] == d and is_definition(agreed[d.name]) then
                kernel.part_of[d.name] = number
                if not seen[d.name] then
                    if d.is_apart and #lines > 0 then lines[#lines + 1] = "" end
                    lines[#lines + 1], part.macros[#part.macros + 1], seen[d.name] = d.text, d.macro, true
                end
            end
        end
    end
    part.text = table.concat(lines, "\n")
    for word in part.text:gmatch("[%a_][%w_]*") do -- all that it uses is in it, or in an earlier part of all these kernels
        for _, kernel in ipairs(group) do assert(not kernel.by_name[word] or is_visible[kernel.part_of[word]], word) end
    end
    return part
end

local function rest_of(kernel)
    local macros = {}
    local lines = definitions.join(kernel.lines, kernel.list, function(d)
        if kernel.by_name[d.name] == d and kernel.part_of[d.name] then return false end
        macros[#macros + 1] = d.macro
        return true
    end)
    while lines[1] == "" do table.remove(lines, 1) end
    return { text = table.concat(kernel.head, "\n") .. "\n\n" .. table.concat(lines, "\n"), parts = kernel.parts, macros = macros }
end

return function(texts)
    local kernels, parts, rests = {}, {}, {}
    for k, text in ipairs(texts) do
        kernels[k] = parse(text)
        kernels[k].number = k
    end
    keep_macros(kernels)
    local group = gain_of(kernels) > 0 and kernels or best_group(kernels)
    while group do
        parts[#parts + 1] = take_part(group, #parts + 1)
        group = best_group(kernels)
    end
    for k, kernel in ipairs(kernels) do rests[k] = rest_of(kernel) end
    return parts, rests
end
