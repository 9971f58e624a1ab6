-- uniforms.lua - values that the caller gives for a whole run: a thread reads them once, when a kernel starts, and hands them on to the functions
-- that need them.
--
-- Templates say nothing of uniforms. A spec's function that uses some takes them as its last parameter, a record of all; the functions of templates
-- that come to call it get a parameter, too, in the kernel's lines.

local file = ...
local definitions = file "gen/emit/definitions.lua"

local NAME, PARAMETER = "uniforms", "given" -- the record, in kernels' texts and in functions of the spec
local WORD = "%f[%w_.]" .. NAME .. "%f[^%w_]" -- not a field of that name

local uniforms = {}

-- fn (gen/expr/expr_lua.c) with the uniforms of op that it uses as a parameter, their values as its leaves; else fn as it is.
function uniforms.bound(fn, op)
    local leaf_of, count, last = {}, 0, #fn.params + 1
    for _, buffer in ipairs(op.buffers) do
        for leaf = 1, buffer.is_uniform and #buffer.type.leaves or 0 do
            count = count + 1
            leaf_of[buffer.first_leaf + leaf] = count
        end
    end
    local nodes, uses = {}, false
    for id, node in ipairs(fn.nodes or {}) do
        nodes[id] = node
        if node.is_uniform then
            nodes[id] = setmetatable({ param = last, leaf = leaf_of[node.leaf] }, { __index = node })
            uses = true
        end
    end
    if not uses then return fn end
    local params = { table.unpack(fn.params) }
    params[last] = { name = PARAMETER, type = op.uniforms }
    return setmetatable({ nodes = nodes, params = params, takes_uniforms = true }, { __index = fn })
end

-- What a call hands to a function that takes them.
uniforms.argument = NAME

-- A line with the record as first argument of calls, or first parameter of the head, of these functions.
local function with_first(line, functions, text)
    local code, comment = line:match("^(.-)(//.*)$")
    code = (code or line):gsub("%f[%w_]([%a_][%w_]*)%((%)?)", function(name, closes)
        return functions[name] and name .. "(" .. text .. (closes == ")" and ")" or ", ") or nil
    end)
    return code .. (comment or "")
end

-- Hands them on, in a kernel's lines: type_name is the record's, value the text that reads it; own: names of the spec's functions, which have it.
function uniforms.hand_on(lines, words_among, type_name, value, own)
    local list, by_name, needs = definitions.split(lines), {}, {}
    for _, definition in ipairs(list) do
        if definition.name and not own[definition.name] then by_name[definition.name] = definition.name end
    end
    local kernel = list[#list]
    local function text_of(definition) return table.concat(lines, "\n", definition.first, definition.last) end
    local function is_function(definition) return definition == kernel or text_of(definition):find("%)\n{") ~= nil end
    local grows = true
    while grows do
        grows = false
        for _, definition in ipairs(list) do
            local name = definition == kernel and kernel or definition.name
            if name and not own[name] and not needs[name] and is_function(definition) then
                local text = text_of(definition):gsub("//[^\n]*", "")
                local does = text:find(WORD) ~= nil
                for _, used in ipairs(words_among(text, by_name)) do does = does or needs[used] end
                if does then needs[name], grows = true, true end
            end
        end
    end
    if not needs[kernel] then return lines end
    needs[kernel] = nil
    local made, at_start = {}, nil -- at_start: of the kernel the line before it reads them
    for at = kernel.first, kernel.last do
        local is_wait = lines[at]:find("^ *wait_for_earlier_launches%(") -- launches that may make single values
        if lines[at] == "{" or is_wait then at_start = at end
    end
    for _, definition in ipairs(list) do
        local is_head = true
        for at = definition.first, definition.last do
            local line = lines[at]
            local is_code = is_function(definition) and not own[definition.name]
            if is_code and is_head and line:byte() ~= 47 and line:find("(", 1, true) then
                made[#made + 1] = definition == kernel and line or with_first(line, needs, "const " .. type_name .. " " .. NAME)
                is_head = false
            else
                made[#made + 1] = is_code and with_first(line, needs, NAME) or line
                if at == at_start then made[#made + 1] = ("    const %s %s = %s;"):format(type_name, NAME, value) end
            end
        end
    end
    return made
end

return uniforms
