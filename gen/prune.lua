-- prune.lua - a kernel's text without the definitions that its entry point does not need, so that templates may define what some kernels use.
--
-- A definition stands at the left margin, comments before it: a line that ends with `;`, a preprocessor's line, or several lines up to one
-- that begins with `}`. Types, constants, shared arrays and functions can go; anything else, and the last definition, the entry point, stays.

local function name_of(head)
    return head:match("^struct alignas%b() ([%w_]+)") or head:match("^struct ([%w_]+)") or head:match("^layout%(buffer_reference.* buffer ([%w_]+)") or head:match("^const[expr]* [%w_]+ ([%w_]+)")
        or head:match("^_*shared_* [%w_]+ ([%w_]+)") or head:match("^typedef .-([%w_]+);") or head:match("^[%a_][%w_ ]* ([%w_]+)%(.*%)$")
end

-- The begin and end of the first line at the left margin that begins at `at` or later and is no comment; nil: none. Most lines are indented.
local function margin_line(text, at)
    local first = text:find("^[^ \n]", at) and at or (text:find("\n[^ \n]", at) or #text) + 1
    if first > #text then return nil end
    local last = text:find("\n", first, true)
    if text:find("^//", first) then return margin_line(text, last + 1) end
    return first, last
end

-- { text =, name =|nil } each, in order.
local function definitions(text)
    local list, begin = {}, 1
    while true do
        local first, last = margin_line(text, begin)
        if not first then return list end
        local head = text:sub(first, last - 1)
        local is_line = (head:find("^#") or head:find(";$") or head:find("; //", 1, true)) and not head:find("\\$")
        if not is_line and not head:find("^}") then
            local brace = text:find("\n}", last, true)
            last = brace and text:find("\n", brace + 1, true) or #text
        end
        list[#list + 1] = { text = text:sub(begin, last), name = name_of(head) }
        begin = last + 1
    end
end

local known_words = {} -- by the definition's text: kernels have many in common

local function without_comments(text)
    local comment = text:find("//", 1, true)
    if not comment then return text end
    local parts, at = {}, 1
    while comment do
        parts[#parts + 1] = text:sub(at, comment - 1)
        at = text:find("\n", comment, true) or #text + 1
        comment = text:find("//", at, true)
    end
    return table.concat(parts) .. text:sub(at)
end

-- The words of a text, { word = true, .. }.
local function words_of(text)
    local words = known_words[text]
    if not words then
        words = {}
        for word in without_comments(text):gmatch("[%a_][%w_]*") do words[word] = true end
        known_words[text] = words
    end
    return words
end

return function(text)
    local list, by_name, kept, parts = definitions(text), {}, {}, {}
    for i = 1, #list - 1 do
        if list[i].name then by_name[list[i].name] = list[i] end
    end
    local function keep(definition)
        if kept[definition] then return end
        kept[definition] = true
        for word in pairs(words_of(definition.text)) do
            if by_name[word] then keep(by_name[word]) end
        end
    end
    for _, definition in ipairs(list) do
        if by_name[definition.name] ~= definition then keep(definition) end
    end
    local is_apart = false -- a dropped definition began a paragraph
    for _, definition in ipairs(list) do
        local begins = definition.text:find("^\n") ~= nil
        if kept[definition] then parts[#parts + 1] = (is_apart and not begins and "\n" or "") .. definition.text end
        is_apart = not kept[definition] and (is_apart or begins)
    end
    return table.concat(parts)
end
