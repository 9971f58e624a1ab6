-- definitions.lua - a kernel's lines as definitions, and some of these as lines again.
--
-- A definition stands at the left margin, comments before it: a line that ends with `;`, a preprocessor's line, or several lines up to one
-- that begins with `}`. The last one is the entry point.

local definitions = {}

local function name_of(head)
    return head:match("^struct alignas%b() ([%w_]+)") or head:match("^struct ([%w_]+)") or head:match("^layout%(buffer_reference.* buffer ([%w_]+)")
        or head:match("^const[expr]* [%w_]+ ([%w_]+)") or head:match("^[%w_ ]* ([%w_]+)%[%d+%] = {")
        or head:match("^_*shared_* [%w_]+ ([%w_]+)") or head:match("^extern __shared__ .* ([%w_]+)%[%];")
        or head:match("^typedef .-([%w_]+);") or head:match("^[%a_][%w_ ]* ([%w_]+)%(.*%)$")
end

-- { first =, last =, name =|nil, macro =|nil } each, in order.
function definitions.split(lines)
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
            local macro = head:match("^# *define ([%w_]+)")
            list[#list + 1] = { first = first, last = last, name = macro or name_of(head), macro = macro }
            first = last + 1
        end
    end
    return list
end

-- The lines of the definitions that are kept.
function definitions.join(lines, list, is_kept)
    local left, is_apart = {}, false -- is_apart: a dropped definition began a paragraph
    for _, definition in ipairs(list) do
        local begins = lines[definition.first] == ""
        local keeps = is_kept(definition)
        if keeps then
            if is_apart and not begins then left[#left + 1] = "" end
            table.move(lines, definition.first, definition.last, #left + 1, left)
        end
        is_apart = not keeps and (is_apart or begins)
    end
    return left
end

return definitions
