-- template.lua - turns a template into text.
--
-- A line whose first character is `$` followed by a space is Lua; everything else is kernel text in which $(expression) is replaced by
-- its value, a string or an integer. A value of several lines keeps the indentation of the line it stands on. Every name a template
-- uses must be defined: by itself, or by the environment it is run with. Errors carry `template:line`.

local template = {}

-- The position after the parenthesis that closes the one at `open`; strings inside are skipped.
local function closing(line, open)
    local balanced = line:match("^%b()", open)
    if balanced and not balanced:find("[\"']") then return open + #balanced - 1 end
    local depth, quote, i = 0, nil, open
    while i <= #line do
        local c = line:sub(i, i)
        if quote then
            if c == "\\" then i = i + 1 elseif c == quote then quote = nil end
        elseif c == '"' or c == "'" then quote = c
        elseif c == "(" then depth = depth + 1
        elseif c == ")" then
            depth = depth - 1
            if depth == 0 then return i end
        end
        i = i + 1
    end
end

-- Iterates over a text's lines; the last may have no end.
local function lines_of(text)
    local at = 1
    return function()
        if at > #text then return nil end
        local first, newline = at, text:find("\n", at, true) or #text + 1
        at = newline + 1
        return text:sub(first, newline - 1)
    end
end

-- One line of text, whose first $( is at `open`, as one Lua statement on the same line number.
local function statement(line, open, name, number)
    local parts, at = {}, 1
    while open do
        local close = closing(line, open + 1)
        if not close then error(name .. ":" .. number .. ": $( without its )", 0) end
        if open > at then parts[#parts + 1] = ("%q"):format(line:sub(at, open - 1)) end
        parts[#parts + 1] = "_value((" .. line:sub(open + 2, close - 1) .. "), " .. number .. ")"
        at = close + 1
        open = line:find("$(", at, true)
    end
    if at <= #line then parts[#parts + 1] = ("%q"):format(line:sub(at)) end
    return "_line(" .. table.concat(parts, ", ") .. ")"
end

local function without_trailing_blanks(line) return line:byte(-1) == 32 and line:gsub(" +$", "") or line end

-- The template as a function of its environment. The build calls this, too: cmake/bytecode.lua.
function template.compile(name, text)
    local lua, number, is_plain = {}, 0, false -- is_plain: the line before stands as it is, in a list that is open
    for line in lines_of(text) do
        local is_code = line:byte() == 36 and (line == "$" or line:byte(2) == 32)
        local open = not is_code and line:find("$(", 1, true)
        number = number + 1
        if is_code or open then
            lua[number] = (is_plain and "}; " or "") .. (is_code and line:sub(3) or statement(line, open, name, number))
        else
            lua[number] = (is_plain and "" or "_lines{") .. ("%q,"):format(without_trailing_blanks(line))
        end
        is_plain = not is_code and not open
    end
    local chunk, message = load("local _ENV = ...; " .. table.concat(lua, "\n") .. (is_plain and "}" or ""), "=" .. name, "t")
    if not chunk then error(message, 0) end
    return chunk
end

local compiled = {} -- by text: a template is included several times

local function chunk_of(name, source)
    local text = source(name)
    if not text then error("no template '" .. name .. "'", 0) end
    if type(text) == "function" then return text end
    compiled[text] = compiled[text] or template.compile(name, text)
    return compiled[text]
end

local function checked(name)
    return function(value, number)
        local kind = math.type(value) or type(value)
        if kind == "integer" then return tostring(value) end
        if kind == "string" then return value end
        error(("%s:%d: $(..) gives a %s; format it"):format(name, number, kind), 0)
    end
end

-- Later lines of a spliced text get the indentation of the first.
local function appender(lines)
    return function(first_part, ...)
        local text = ... and table.concat({ first_part, ... }) or first_part
        if text:find("\n", 1, true) then
            local indent = text:match("^ *")
            local first = true
            for line in lines_of(text) do
                lines[#lines + 1] = without_trailing_blanks(first and line or indent .. line)
                first = false
            end
        else
            lines[#lines + 1] = without_trailing_blanks(text)
        end
    end
end

-- No blank line at the start, at the end, before a `}`, or after another.
local function tidy(lines)
    local out = {}
    for _, line in ipairs(lines) do
        if line == "" then
            if #out > 0 and out[#out] ~= "" then out[#out + 1] = "" end
        else
            if out[#out] == "" and line:find("^ *}") then out[#out] = nil end
            out[#out + 1] = line
        end
    end
    if out[#out] == "" then out[#out] = nil end
    return out
end

local function run(name, source, environment, lines)
    local scope = setmetatable({
        _line = appender(lines),
        _lines = function(plain) table.move(plain, 1, #plain, #lines + 1, lines) end,
        _value = checked(name),
        -- The lines that body makes, after `head` at their margin, one step to the right, and a brace that closes it; without a head as they are.
        enclosed = function(head, body)
            local first = #lines + 1
            body()
            if not head or #lines < first then return end
            local margin = lines[first]:match("^ *")
            for i = first, #lines do lines[i] = lines[i] == "" and "" or "    " .. lines[i] end
            local inner = table.move(lines, first, #lines, 1, {})
            for i = #lines, first, -1 do lines[i] = nil end
            for line in lines_of(head) do lines[#lines + 1] = margin .. line end
            table.move(inner, 1, #inner, #lines + 1, lines)
            lines[#lines + 1] = margin .. "}"
        end,
        include = function(part, names)
            run(part, source, names and setmetatable(names, {__index = environment}) or environment, lines)
        end,
    }, {__index = function(_, key)
        local value = environment[key]
        if value == nil then error(("undefined name '%s'"):format(key), 2) end
        return value
    end})
    chunk_of(name, source)(scope)
end

-- The template's lines. source(name) returns a template, its text or what compile() made of it; environment: the names it may use (nil means
-- undefined).
function template.lines(name, source, environment)
    local lines = {}
    run(name, source, environment, lines)
    return tidy(lines)
end

function template.expand(...) return table.concat(template.lines(...), "\n") .. "\n" end

return template
