-- tuning_file.lua - a user's tuning table (gen/plan/tuning.lua says what a row is), rewritten with rows more.
local file = ...
local tuning = file("gen/plan/tuning.lua")

local HEAD = [[
-- Tuning table of monosweep tune, which writes it anew: rows that are added by hand stay, comments do not. The figures are what was measured with a
-- row.
-- Its rows come before the shipped ones, in run, bench and plan --device; gen takes it with --tuning.

]]
local FIELDS = { "backend", "arch", "class", "device", "bytes", "strategy", "from", "shared", "knobs", "constants", "figure", "date" }

local function literal(value)
    if type(value) == "string" then return '"' .. value:gsub('[%c"\\]', " ") .. '"' end
    if type(value) ~= "table" then return tostring(value) end
    local parts, names = {}, {}
    for name in pairs(value) do if type(name) == "string" then names[#names + 1] = name end end
    table.sort(names)
    for _, part in ipairs(value) do parts[#parts + 1] = literal(part) end
    for _, name in ipairs(names) do parts[#parts + 1] = name .. " = " .. literal(value[name]) end
    return #parts > 0 and "{ " .. table.concat(parts, ", ") .. " }" or "{}"
end

local function row_text(row)
    local parts = {}
    for _, field in ipairs(FIELDS) do
        if row[field] ~= nil then parts[#parts + 1] = field .. " = " .. literal(row[field]) end
    end
    return "row { " .. table.concat(parts, ", ") .. " }\n"
end

-- The rows of a table. A text that says something, but has no rows, was meant to have some: as `return { .. }`.
local function rows_of(name, text)
    local rows = tuning.read(name, text)
    if #rows == 0 and text:gsub("%-%-[^\n]*", ""):find("%S") then
        error(name .. ": there is no row in this table; write row { backend = .., class = .., .. } for each", 0)
    end
    return rows
end

local function large(row) return tuning.LARGE[row.strategy] and row.strategy end

local function serves_same(a, b)
    return a.backend == b.backend and a.arch == b.arch and a.class == b.class and a.least == b.least and a.most == b.most and a.device == b.device
        and large(a) == large(b) and a.shared == b.shared
end

local function write(rows)
    local texts = {}
    for i, row in ipairs(rows) do texts[i] = row_text(row) end
    table.sort(texts)
    return HEAD .. table.concat(texts)
end

return {
    -- names, texts: of the table, and of the new rows.
    replace = function(names, texts)
        local rows = tuning.read(names[2], texts[2])
        local new_count = #rows
        for _, row in ipairs(tuning.read(names[1], texts[1])) do
            local is_kept = true
            for i = 1, new_count do is_kept = is_kept and not serves_same(row, rows[i]) end
            if is_kept then rows[#rows + 1] = row end
        end
        return write(rows)
    end,
    check = function(names, texts) return #rows_of(names[1], texts[1]) .. " rows" end,
}
