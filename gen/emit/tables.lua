-- tables.lua - tables of constants (gen/expr/expr.h) as arrays of a kernel's text, and their entries as expressions.
--
-- A table is { name =, type = scalar, entries = { raw bits, .. } }. A dialect says
--   table_form(t, is_plain)  how the entries are held: { type_name =, literal = function(bits) -> expression,
--     decode = function(e) -> the entry|nil }, and where several are in a word: per_word = their number,
--     accessor = function(name, array) -> text of a function that returns entry i
--   constant_array(type_name, name, count)  an array's head
-- is_plain: no entry is a float that has no decimal text or that a compiler might not keep: -0, inf, NaN, subnormal ones. They are held as bits.

local file = ...
local clike = file "gen/emit/clike.lua"
local ranges = file "gen/emit/ranges.lua"

local LINE_COLUMNS = 110
local WIDTH = ranges.WIDTH

local tables = {}

local EXPONENT = { f16 = 0x7c00, f32 = 0x7f800000, f64 = 0x7ff0000000000000 }

-- Whether every entry is a normal number or +0.
local function are_plain(t)
    local mask = EXPONENT[t.type]
    for _, bits in ipairs(mask and t.entries or {}) do
        if bits ~= 0 and (bits & mask == mask or bits & mask == 0) then return false end
    end
    return true
end

-- ---- definitions ----

local function word_of(t, first, per_word)
    local word, width = 0, WIDTH[t.type]
    for k = 0, per_word - 1 do word = word | ((t.entries[first + k] or 0) & ((1 << width) - 1)) << (k * width) end
    return word
end

-- " 1, 2, 3 ": as many lines as it takes.
local function list_text(texts, columns)
    local flat = table.concat(texts, ", ")
    if columns + #flat < LINE_COLUMNS then return flat end
    local lines, line = {}, {}
    local width = LINE_COLUMNS
    for _, text in ipairs(texts) do
        if width + #text + 2 > LINE_COLUMNS then
            lines[#lines + 1] = table.concat(line, ", ")
            line, width = {}, 4
        end
        line[#line + 1] = text
        width = width + #text + 2
    end
    lines[#lines + 1] = table.concat(line, ", ")
    return table.concat(lines, ",\n    ", 2):gsub("^", "\n    ") .. "\n"
end

local known = setmetatable({}, { __mode = "k" }) -- texts by table: every kernel has a dialect of its own

local function array_text(d, t, form, name)
    local count = form.per_word and (#t.entries + form.per_word - 1) // form.per_word or #t.entries
    local head = d:constant_array(form.type_name, name, count) .. " = {"
    known[t] = known[t] or {}
    local list = known[t][head]
    if not list then
        local texts = {}
        for i = 1, count do
            local bits = form.per_word and word_of(t, (i - 1) * form.per_word + 1, form.per_word) or t.entries[i]
            texts[i] = form.literal(bits).text
        end
        list = list_text(texts, #head + 2)
        known[t][head] = list
    end
    return head .. list .. "};\n"
end

-- The definitions of the tables that fn needs and no function before it; "" for none.
function tables.definitions(d, fn)
    local texts = {}
    for _, node in ipairs(fn.nodes or {}) do
        local t = node.table
        if t and not d.tables[t] then
            local form, name = d:table_form(t, are_plain(t)), d:global_name(t.name)
            local array = form.per_word and d:global_name(t.name .. "_words") or name
            d.tables[t] = { name = name, form = form }
            texts[#texts + 1] = array_text(d, t, form, array)
            if form.per_word then texts[#texts + 1] = form.accessor(name, array) end
        end
    end
    return #texts > 0 and table.concat(texts, "\n") .. "\n" or ""
end

-- ---- entries ----

-- Where in the table an index e of type s is, and of what type that is: beyond the last entry, also below 0, at the last.
function tables.place(d, t, s, e)
    local most, last = ranges.most(s, e), #t.entries - 1
    if most and most <= last and WIDTH[s] <= 32 then return e, s end
    local U = WIDTH[s] == 64 and "u64" or "u32"
    local place = d:expression("min", U, U, { d:expression("convert", U, s, { e }), d:literal(U, last) })
    if U == d.index or U == "u32" then return place, U end
    return d:expression("convert", "u32", U, { place }), "u32"
end

-- The largest entry, where none is below 0.
local function most_of(t)
    if t.most == nil then
        local most = 0
        for _, bits in ipairs(t.entries) do most = most and bits >= 0 and math.max(most, bits) or false end
        t.most = most
    end
    return t.most or nil
end

-- The entry at a place of type s in the table.
function tables.entry(d, t, s, place)
    local form, name = d.tables[t].form, d.tables[t].name
    local entry
    if not form.per_word then entry = clike.parse(name .. "[" .. place.text .. "]")
    else entry = clike.call(name, s:find "^i" and clike.call("uint", place) or place) end
    if form.decode then return form.decode(entry) end
    if WIDTH[t.type] <= 32 and not EXPONENT[t.type] then entry.mask = most_of(t) end
    return entry
end

return tables
