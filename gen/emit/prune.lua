-- prune.lua - a kernel's lines without the definitions that its entry point does not need, so that templates may define what some kernels use.
--
-- A definition stands at the left margin, comments before it: a line that ends with `;`, a preprocessor's line, or several lines up to one
-- that begins with `}`. Types, constants, shared arrays and functions can go; anything else, and the last definition, the entry point, stays.

local function name_of(head)
    return head:match("^struct alignas%b() ([%w_]+)") or head:match("^struct ([%w_]+)") or head:match("^layout%(buffer_reference.* buffer ([%w_]+)")
        or head:match("^const[expr]* [%w_]+ ([%w_]+)")
        or head:match("^_*shared_* [%w_]+ ([%w_]+)") or head:match("^typedef .-([%w_]+);") or head:match("^[%a_][%w_ ]* ([%w_]+)%(.*%)$")
end

-- { first =, last =, name =|nil } each, in order.
local function definitions(lines)
    local list, first, last = {}, 1, 0
    while last < #lines do
        last = last + 1
        local head = lines[last]
        local byte = head:byte()
        if byte and byte ~= 32 and not head:find("^//") then
            local is_line = (head:find("^#") or head:find(";$") or head:find("; //", 1, true)) and not head:find("\\$")
            if not is_line and not head:find("^}") then
                repeat last = last + 1 until last >= #lines or lines[last]:byte() == 125
            end
            list[#list + 1] = { first = first, last = last, name = name_of(head) }
            first = last + 1
        end
    end
    return list
end

-- The lines that are left. words_among(text, table) gives the table's values for words of the text.
return function(lines, words_among)
    local list, by_name, kept, left = definitions(lines), {}, {}, {}
    for i = 1, #list - 1 do
        if list[i].name then by_name[list[i].name] = list[i] end
    end
    local function keep(definition)
        if kept[definition] then return end
        kept[definition] = true
        for _, used in ipairs(words_among(table.concat(lines, "\n", definition.first, definition.last), by_name)) do keep(used) end
    end
    for _, definition in ipairs(list) do
        if by_name[definition.name] ~= definition then keep(definition) end
    end
    local is_apart = false -- a dropped definition began a paragraph
    for _, definition in ipairs(list) do
        local begins = lines[definition.first] == ""
        if kept[definition] then
            if is_apart and not begins then left[#left + 1] = "" end
            table.move(lines, definition.first, definition.last, #left + 1, left)
        end
        is_apart = not kept[definition] and (is_apart or begins)
    end
    return left
end
