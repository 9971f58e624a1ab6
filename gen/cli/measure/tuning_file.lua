-- tuning_file.lua - a user's tuning table (gen/plan/tuning.lua says what a row is), rewritten with a row more.
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

local function serves_same(a, b)
    return a.backend == b.backend and a.arch == b.arch and a.class == b.class and a.least == b.least and a.most == b.most and a.device == b.device
        and (a.strategy == "lookahead") == (b.strategy == "lookahead") and a.shared == b.shared
end

local function write(rows)
    local texts = {}
    for i, row in ipairs(rows) do texts[i] = row_text(row) end
    table.sort(texts)
    return HEAD .. table.concat(texts)
end

-- names, texts: of the table, and of the row.
local function without(names, texts)
    local new, kept = tuning.read(names[2], texts[2]), {}
    for _, row in ipairs(tuning.read(names[1], texts[1])) do
        if not serves_same(row, new[1]) then kept[#kept + 1] = row end
    end
    return kept, new[1]
end

return {
    replace = function(names, texts)
        local kept, new = without(names, texts)
        kept[#kept + 1] = new
        return write(kept)
    end,
    check = function(names, texts) return #tuning.read(names[1], texts[1]) .. " rows" end,
}
