-- found.lua - what a report of a device found beside its rows: notes "# report.SECTION: field,field,..", as tables of a page and as JSON.

-- In the order of the page. numbers: columns that are numbers in JSON, null where they are empty. heads: the page's columns, with their heads.
local SECTIONS = {
    { name = "device", title = "The device", columns = { "name", "value" }, heads = { { "name", "" }, { "value", "" } } },
    { name = "progress", title = "Blocks that wait for each other: what was seen, which nobody promises",
        columns = { "name", "blocks", "failed_blocks", "waited", "runs", "summary", "seen" },
        numbers = { blocks = true, failed_blocks = true, waited = true, runs = true },
        heads = { { "summary", "" }, { "seen", "seen" } } },
    { name = "ability", title = "What there is, what is emulated or missing, and what that costs",
        columns = { "name", "state", "case", "n", "us", "other", "other_us", "note" },
        numbers = { n = true, us = true, other_us = true },
        heads = { { "name", "" }, { "state", "" }, { "case", "case" }, { "n", "n" }, { "us", "median" }, { "other", "beside" },
            { "other_us", "median" }, { "note", "" } } },
    { name = "kernel", title = "The kernels of a plan, each by itself",
        columns = { "case", "n", "kernel", "us" }, numbers = { n = true, us = true },
        heads = { { "case", "case" }, { "n", "n" }, { "kernel", "kernel" }, { "us", "time" } } },
}
-- What a device says of itself, or was seen to do: how a page calls it; those that are numbers.
local LABELS = { monosweep = "monosweep", id = "device", name = "name", driver = "driver", kind = "kind", arch = "tuned as", memory_bytes = "memory",
    max_allocation_bytes = "of one allocation", subgroup_size = "subgroup", max_block_threads = "threads of a block, at most",
    shared_bytes = "shared memory of a block, bytes", max_blocks = "blocks of a launch, at most", compute_units = "compute units",
    max_cluster_blocks = "blocks of a cluster, at most",
    progress_claimed = "progress that monosweep relies on", progress_seen = "progress that was seen" }
local DEVICE_NUMBERS = { memory_bytes = true, max_allocation_bytes = true, subgroup_size = true, max_block_threads = true, shared_bytes = true,
    max_blocks = true, compute_units = true, max_cluster_blocks = true }
local PLURALS = { ability = "abilities", kernel = "kernels" }

local found = {}

-- Takes the notes of one table apart: section -> rows by column; nil: there are none of a report. Returns the other notes, too.
function found.take(notes, parse_lines)
    local sections, others = nil, {}
    for _, note in ipairs(notes) do
        local name, text = note:match("^report%.(%l+): (.*)$")
        local lines = name and parse_lines(text)
        for _, section in ipairs(SECTIONS) do
            if lines and lines[1] and section.name == name then
                local row = {}
                for c, column in ipairs(section.columns) do row[column] = lines[1].fields[c] or "" end
                sections = sections or {}
                sections[name] = sections[name] or {}
                table.insert(sections[name], row)
                note = nil
                break
            end
        end
        others[#others + 1] = note
    end
    return sections, others
end

local function device_row(row)
    local value = row.value
    if row.name:find("^m.*_bytes$") and value:find("^%d+$") then value = ("%.1f GiB"):format(tonumber(value) / 2 ^ 30) end
    return { name = LABELS[row.name] or row.name, value = value }
end

-- What a page shows of them: sections with a title, heads and rows of texts. shown(column, value): the text of a number.
function found.tables(sections, shown)
    local tables = {}
    for _, section in ipairs(SECTIONS) do
        local heads, rows = {}, {}
        for h, head in ipairs(section.heads) do heads[h] = head[2] end
        for r, row in ipairs(sections[section.name] or {}) do
            rows[r] = {}
            if section.name == "device" then row = device_row(row) end
            for h, head in ipairs(section.heads) do rows[r][h] = shown(head[1], row[head[1]]) end
        end
        if #rows > 0 then tables[#tables + 1] = { title = section.title, heads = heads, rows = rows } end
    end
    return tables
end

local function value_text(is_number, value, quoted)
    if not is_number then return quoted(value) end
    return value:match("^%d+$") or value:match("^%d+%.%d+$") or "null"
end

-- The members of the report's object before its rows. quoted: a text as a JSON string.
function found.json(sections, quoted)
    local members = { '"format": 1' }
    local pairs_of = {}
    for i, row in ipairs(sections.device or {}) do
        pairs_of[i] = quoted(row.name) .. ": " .. value_text(DEVICE_NUMBERS[row.name], row.value, quoted)
    end
    members[2] = '"device": {' .. table.concat(pairs_of, ", ") .. "}"
    for s = 2, #SECTIONS do
        local section, rows = SECTIONS[s], {}
        for r, row in ipairs(sections[section.name] or {}) do
            local fields = {}
            for c, column in ipairs(section.columns) do
                fields[c] = quoted(column) .. ": " .. value_text(section.numbers[column], row[column], quoted)
            end
            rows[r] = "{" .. table.concat(fields, ", ") .. "}"
        end
        members[#members + 1] = quoted(PLURALS[section.name] or section.name) .. ": [" .. table.concat(rows, ",\n  ") .. "]"
    end
    return table.concat(members, ",\n ")
end

return found
