-- prune.lua - a kernel's lines without the definitions that its entry point does not need, so that templates may define what some kernels use.
--
-- Macros, types, constants, shared arrays and functions can go; anything else, and the last definition, the entry point, stays.

local file = ...
local definitions = file "gen/emit/definitions.lua"

-- The lines that are left. words_among(text, table) returns the table's values for words of the text.
return function(lines, words_among)
    local list, by_name, kept = definitions.split(lines), {}, {}
    for i = 1, #list - 1 do -- overloads have one name
        local name = list[i].name
        if name then
            by_name[name] = by_name[name] or {}
            table.insert(by_name[name], list[i])
        end
    end
    local function keep(definition)
        if kept[definition] then return end
        kept[definition] = true
        for _, used in ipairs(words_among(table.concat(lines, "\n", definition.first, definition.last), by_name)) do
            for _, overload in ipairs(used) do keep(overload) end
        end
    end
    for i, definition in ipairs(list) do
        if i == 1 or i == #list or not definition.name then keep(definition) end -- the first has the text's title above it
    end
    return definitions.join(lines, list, function(definition) return kept[definition] end)
end
