-- page.lua - rows of a bench (gen/cli/measure/measure.h), as one page that needs nothing else, or as JSON.
local file = ...
local template = file("gen/emit/template.lua")
local found = file("gen/cli/measure/found.lua")

-- By variant, in this order; light, dark. Baselines are grey; variants beyond the palette take its colours again, with dashes.
local palette = {
    { "#2a78d6", "#3987e5" }, { "#1a9e70", "#2bb585" }, { "#d08700", "#d9a000" }, { "#7a5bd0", "#9a86ea" },
    { "#d5518f", "#e06c9f" }, { "#d63f3e", "#ea6a68" }, { "#0c7f8f", "#32a8b8" },
}
-- Those that run on the host, where the device is another: what they are of a device's copy says nothing.
local ON_HOST = { loop = true, ["plain C loop"] = true, oracle = true }
local BASELINES = { memcpy = "4 4", ["copy kernel"] = "8 4", loop = "8 2 2 2", ["plain C loop"] = "8 2 2 2", oracle = "1 4" }
local COLUMNS = { "device", "kind", "case", "variant", "n", "rounds", "median_us", "gitems_per_s", "gb_per_s", "percent_of_memcpy", "percent_of_cub",
    "create_ms", "result" }
local TEXTS = { device = true, kind = true, case = true, variant = true, result = true, steady = true }
local LATER = { "steady", "predicted_us", "least_us" } -- columns that older tables do not have
local ALL = table.move(LATER, 1, #LATER, #COLUMNS + 1, table.move(COLUMNS, 1, #COLUMNS, 1, {}))

-- ---- CSV (RFC 4180) ----

-- The fields of each line: lists of strings, with the number of the line. Lines before them that begin with # say what the whole was measured with.
local function parse_lines(text)
    local lines, fields, at, number, first = {}, {}, 1, 1, 1
    local notes = {}
    while text:sub(at, at) == "#" do
        local stop = text:find("\n", at, true) or #text + 1
        notes[#notes + 1] = text:sub(at + 1, stop - 1):match("^%s*(.-)%s*$")
        at, number, first = stop + 1, number + 1, first + 1
    end
    while at <= #text do
        local field
        if text:sub(at, at) == '"' then
            local close = at
            repeat
                close = text:find('"', close + 1, true) or #text + 1
                local again = text:sub(close + 1, close + 1) == '"'
                if again then close = close + 1 end
            until not again
            if close > #text then return nil, number end
            field = text:sub(at + 1, close - 1):gsub('""', '"')
            at = close + 1
        else
            field = text:match("^[^,\r\n]*", at)
            at = at + #field
        end
        number = number + select(2, field:gsub("\n", ""))
        fields[#fields + 1] = field
        local stop = text:match("^\r?\n", at) or (at > #text and "") or nil
        if stop then
            if #fields > 1 or fields[1] ~= "" then lines[#lines + 1] = { fields = fields, number = first } end
            fields, at, number = {}, at + #stop, number + 1
            first = number
        elseif text:sub(at, at) == "," then
            at = at + 1
            if at > #text then fields[#fields + 1] = "" end
        else
            return nil, number
        end
    end
    if #fields > 0 then lines[#lines + 1] = { fields = fields, number = first } end
    lines.notes = notes
    return lines
end

local function fail(name, number, what)
    error(("%s:%d: %s; give a CSV that monosweep bench, bench_scan or bench_sort wrote with --csv"):format(name, number, what), 0)
end

-- Rows by the head's names; numbers where they are, nil where there are none.
local function parse_rows(name, text)
    local lines, wrong = parse_lines(text)
    if not lines then fail(name, wrong, "not a CSV") end
    local head, rows = {}, {}
    for c, column in ipairs(lines[1] and lines[1].fields or {}) do head[column] = c end
    for _, column in ipairs(COLUMNS) do
        if not head[column] then fail(name, 1, "there is no column '" .. column .. "'") end
    end
    for l = 2, #lines do
        local row, line = {}, lines[l]
        if #line.fields ~= #lines[1].fields then fail(name, line.number, ("%d fields, the head has %d"):format(#line.fields, #lines[1].fields)) end
        for _, column in ipairs(ALL) do
            local value = line.fields[head[column] or 0] or ""
            if not TEXTS[column] and value ~= "" then
                local number = tonumber(value)
                if column == "n" then number = math.tointeger(number) end
                if not number or number < 0 or number > 1e300 then
                    local wanted = column == "n" and "whole number" or "number"
                    fail(name, line.number, ("%s '%s' is not a %s of 0 or more"):format(column, value:sub(1, 40), wanted))
                end
                value = number < 1e-300 and 0 * number or number -- its reciprocal is a number
            end
            if value ~= "" then row[column] = value end
        end
        if not (row.device and row.case and row.variant and row.n) then fail(name, line.number, "device, case, variant and n are needed") end
        rows[#rows + 1] = row
    end
    rows.notes = lines.notes
    return rows
end

-- ---- numbers and texts ----

local function escaped(s) return (s:gsub("[&<>\"]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" })) end

local function shown(x) -- three digits or so
    if not x then return "" end
    if x >= 100 then return ("%.0f"):format(x) end
    return ("%.3g"):format(x)
end

local function time_text(us)
    if not us then return "" end
    if us < 1000 then return shown(us) .. " µs" end
    return us < 1e6 and shown(us / 1000) .. " ms" or shown(us / 1e6) .. " s"
end

local function per_cent(x) return x and shown(x) .. " %" or "" end

-- A unit for numbers of billions up to the largest: its name's first letter, and how many of it a billion is.
local function unit_of(largest)
    if largest >= 1 then return "G", 1 end
    return largest >= 1e-3 and "M" or "k", largest >= 1e-3 and 1e3 or 1e6
end

local function rate_text(billions, what)
    if not billions then return "" end
    local letter, factor = unit_of(billions)
    return ("%s %s%s"):format(shown(billions * factor), letter, what)
end

local SUPERSCRIPTS = { [0] = "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" }

local function power(log2)
    return "2" .. tostring(log2):gsub("%d", function(d) return SUPERSCRIPTS[tonumber(d)] end)
end

local function count_text(n)
    local log2 = n > 0 and math.log(n, 2) or 0
    if n >= 64 and log2 == math.floor(log2) then return power(math.tointeger(log2)) end
    return ("%d"):format(n)
end

-- A round number at or above x, whose quarters are round too.
local function nice(x)
    if x < 1e-300 then return 1 end
    local unit = 10.0 ^ math.floor(math.log(x, 10))
    for _, f in ipairs { 1, 1.2, 1.6, 2, 2.4, 3.2, 4, 5, 6, 8, 10 } do
        if f * unit >= x * 0.999 then return f * unit end
    end
end

-- ---- charts ----

local WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 270, 58, 14, 10, 34

local function is_cub(variant) return variant:sub(1, 3) == "cub" end

-- guides: a case's own lines that nobody measured, by variant; their dashes.
local function dash_of(case, variant) return BASELINES[variant] or case.guides and case.guides[variant] end

local function style_of(case, variant)
    local dash = dash_of(case, variant)
    if dash then return "var(--muted)", dash end
    if is_cub(variant) then return "var(--cub)", variant == "cub 32-bit" and "3 3" or "8 3" end
    local i = case.colours[variant]
    return ("var(--c%d)"):format((i - 1) % #palette + 1), i > #palette and "6 3" or "none"
end

local function legend(case, variants)
    local items = {}
    for i, variant in ipairs(variants) do
        local colour, dash = style_of(case, variant)
        items[i] = ('<li><svg viewBox="0 0 26 10"><line x1="0" y1="5" x2="26" y2="5" ' ..
            'style="stroke:%s;stroke-width:2.5;stroke-dasharray:%s"/></svg>%s</li>'):format(
            colour, dash, escaped(variant))
    end
    return '<ul class="legend">\n' .. table.concat(items, "\n") .. "\n</ul>"
end

local function x_of(case, n)
    local low, high = math.log(case.sizes[1], 2), math.log(case.sizes[#case.sizes], 2)
    if high == low then return (LEFT + WIDTH - RIGHT) / 2 end
    return LEFT + (math.log(n, 2) - low) / (high - low) * (WIDTH - LEFT - RIGHT)
end

-- What is drawn: column, factor (from the column's unit), unit, text (of a value), low and high (of the axis), is_log, mark (a line across).
local function y_of(chart, value)
    local share = (value - chart.low) / (chart.high - chart.low)
    if chart.is_log then share = math.log(value / chart.low) / math.log(chart.high / chart.low) end
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
end

local function ticks(chart)
    local values = {}
    if not chart.is_log then
        for i = 0, 4 do values[i + 1] = chart.high * i / 4 end
        return values
    end
    local step = math.ceil(math.log(chart.high / chart.low, 10) / 6 - 1e-6)
    for e = math.floor(math.log(chart.low, 10) + 0.5), math.floor(math.log(chart.high, 10) + 0.5), step do values[#values + 1] = 10.0 ^ e end
    return values
end

-- Along the axis of n: powers of two; or, where a case says what is along it, its sizes.
local function marks(case)
    local list = {}
    if case.along then
        for i, n in ipairs(case.sizes) do list[i] = { n = n, text = (case.text_of or count_text)(n) } end
        return list
    end
    local low, high = math.ceil(math.log(case.sizes[1], 2) - 1e-6), math.floor(math.log(case.sizes[#case.sizes], 2) + 1e-6)
    for log2 = low, high, math.max(1, math.ceil((high - low + 1) / 10)) do list[#list + 1] = { n = 2.0 ^ log2, text = power(log2) } end
    return list
end

local function axes(case, chart)
    local out = {}
    local function add(...) out[#out + 1] = string.format(...) end
    for i, value in ipairs(ticks(chart)) do
        local y = y_of(chart, value)
        add('<line class="%s" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/>', i == 1 and "axis" or "grid", LEFT, y, WIDTH - RIGHT, y)
        add('<text x="%d" y="%.1f" text-anchor="end">%s</text>', LEFT - 6, y + 4, chart.text(value))
    end
    if chart.mark and chart.mark < chart.high then
        local y = y_of(chart, chart.mark)
        add('<line class="axis" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/>', LEFT, y, WIDTH - RIGHT, y)
    end
    for _, mark in ipairs(marks(case)) do
        local x = x_of(case, mark.n)
        add('<line class="axis" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>', x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 4)
        add('<text x="%.1f" y="%d" text-anchor="middle">%s</text>', x, HEIGHT - BOTTOM + 17, mark.text)
    end
    add('<text x="%d" y="%d" text-anchor="end">%s</text>', WIDTH - RIGHT, HEIGHT - 3, case.along or "elements")
    return table.concat(out, "\n")
end

local function line(case, variant, chart)
    local colour, dash = style_of(case, variant)
    local points, dots = {}, {}
    for _, n in ipairs(case.sizes) do
        local row = case.rows[variant][n]
        local value = row and row[chart.column] and row[chart.column] * chart.factor
        if value and (value > 0 or not chart.is_log) then
            local x, y = x_of(case, n), y_of(chart, value)
            points[#points + 1] = ("%.1f,%.1f"):format(x, y)
            dots[#dots + 1] = ('<circle%s cx="%.1f" cy="%.1f" r="%s" style="fill:%s"><title>%s, %s: %s %s</title></circle>'):format(
                #case.sizes > 30 and "" or ' class="dot"', x, y, #case.sizes > 30 and "1.5" or "3.5", colour, escaped(variant),
                case.text_of and ("%s %s"):format(case.text_of(n), case.along) or "n = " .. count_text(n),
                chart.text(value), escaped(chart.unit))
        end
    end
    local path = ('<polyline class="line" style="stroke:%s;stroke-dasharray:%s" points="%s"/>'):format(colour, dash, table.concat(points, " "))
    return path .. "\n" .. table.concat(dash_of(case, variant) and {} or dots, "\n")
end

-- Columns in which nobody has anything are left out.
local function html_table(head, rows)
    local kept_head, kept = {}, {}
    for i in ipairs(rows) do kept[i] = {} end
    for c, name in ipairs(head) do
        local has = #rows == 0
        for _, row in ipairs(rows) do has = has or row[c] ~= "" end
        if has then
            kept_head[#kept_head + 1] = name
            for i, row in ipairs(rows) do kept[i][#kept_head] = row[c] end
        end
    end
    head, rows = kept_head, kept
    local out = { '<table>', "<thead><tr><th>" .. table.concat(head, "</th><th>") .. "</th></tr></thead>", "<tbody>" }
    for _, row in ipairs(rows) do out[#out + 1] = "<tr><td>" .. table.concat(row, "</td><td>") .. "</td></tr>" end
    return table.concat(out, "\n") .. "\n</tbody>\n</table>"
end

-- What bench.c and workload.c say of a row that nothing is wrong with.
local RIGHT = { verified = true, ["verified in part"] = true, ["not verified"] = true, agrees = true, unchecked = true, ["-"] = true }

local function is_right(row) return RIGHT[row.result or "-"] end

-- The values of a column, by a function of variant and value.
local function for_values(case, column, hidden, with)
    for _, variant in ipairs(case.variants) do
        for _, n in ipairs(hidden[variant] and {} or case.sizes) do
            local row = case.rows[variant][n]
            if row and row[column] then with(variant, row[column]) end
        end
    end
end

-- A column of the rows against n; nil where there is one n only, or nothing to show. hidden: variants that are left out.
local function curve(case, chart, hidden)
    local variants, has, most, least, lines = {}, {}, 0, math.huge, {}
    for_values(case, chart.column, hidden, function(variant, value)
        has[variant], most = true, math.max(most, value * chart.factor)
        if value > 0 then least = math.min(least, value * chart.factor) end
    end)
    if #case.sizes < 2 or most == 0 then return nil end
    for _, variant in ipairs(case.variants) do if has[variant] then variants[#variants + 1] = variant end end
    if chart.mark and most >= chart.mark / 2 then most = math.max(most, chart.mark) end
    chart.low, chart.high = 0, nice(most)
    if chart.is_log then chart.low, chart.high = 10.0 ^ math.floor(math.log(least, 10)), 10.0 ^ math.ceil(math.log(most, 10)) end
    if chart.high == chart.low then chart.high = 10 * chart.low end
    for i = #variants, 1, -1 do lines[#lines + 1] = line(case, variants[i], chart) end
    local svg = ('<svg viewBox="0 0 %d %d" role="img" aria-label="%s">\n%s\n%s\n</svg>'):format(
        WIDTH, HEIGHT, escaped(chart.title), axes(case, chart), table.concat(lines, "\n"))
    local note = ""
    for _, variant in ipairs(case.variants) do
        if hidden[variant] == "dwarfs" then note = note .. (note == "" and "Out of scale: " or ", ") .. variant end
    end
    return { title = chart.title, legend = legend(case, variants), svg = svg, note = note }
end

-- The largest n, of `default` where there is one: others may go on for longer.
local function largest_size(case)
    local rows = case.rows.default or {}
    for i = #case.sizes, 1, -1 do
        if rows[case.sizes[i]] then return case.sizes[i] end
    end
    return case.sizes[#case.sizes]
end

-- Variants beside each other where n is largest.
local BAR, GAP, NAMES = 18, 8, 150

local function bars(case, unit, hidden)
    local n, found, most, note = largest_size(case), {}, 0, ""
    for _, variant in ipairs(case.variants) do
        local row = case.rows[variant][n]
        if row and row[unit.column] and hidden[variant] then
            note = ("%s%s %s"):format(note == "" and "Out of scale: " or note .. ", ", variant, shown(row[unit.column] * unit.factor))
        elseif row and row[unit.column] then found[#found + 1], most = row, math.max(most, row[unit.column]) end
    end
    if #found == 0 then return nil end
    local height, out = #found * (BAR + GAP) + GAP, {}
    for i, row in ipairs(found) do
        local y, width = GAP + (i - 1) * (BAR + GAP), most > 0 and row[unit.column] / most * (WIDTH - NAMES - 60) or 0
        local name = #row.variant > 24 and row.variant:sub(1, 22) .. "…" or row.variant
        local function add(...) out[#out + 1] = string.format(...) end
        add('<text x="%d" y="%d" text-anchor="end">%s<title>%s</title></text>', NAMES - 6, y + 13, escaped(name), escaped(row.variant))
        add('<rect x="%d" y="%d" width="%.1f" height="%d" rx="3" style="fill:%s"/>', NAMES, y, math.max(width, 1), BAR, (style_of(case, row.variant)))
        add('<text x="%.1f" y="%d">%s%s</text>', NAMES + width + 6, y + 13, row.steady == "no" and "~ " or "", shown(row[unit.column] * unit.factor))
    end
    local title = ("Side by side at n = %s, %s"):format(count_text(n), unit.name)
    local svg = ('<svg viewBox="0 0 %d %d" role="img" aria-label="%s">\n%s\n</svg>'):format(WIDTH, height, escaped(title), table.concat(out, "\n"))
    return { title = title, legend = "", svg = svg, note = note }
end

-- Everything that is known of a case.
local function case_table(case, unit)
    local rows = {}
    for _, n in ipairs(case.sizes) do
        for _, variant in ipairs(case.variants) do
            local row = case.rows[variant][n]
            if row then
                local result = escaped(row.result or "")
                rows[#rows + 1] = { escaped(variant), count_text(n), (row.steady == "no" and "~ " or "") .. time_text(row.median_us),
                    time_text(row.predicted_us), row[unit.column] and shown(row[unit.column] * unit.factor) or "",
                    not unit.is_bytes and shown(row.gb_per_s) or "",
                    per_cent(row.percent_of_memcpy), per_cent(row.percent_of_cub), row.create_ms and time_text(row.create_ms * 1000) or "",
                        shown(row.rounds),
                    is_right(row) and result or '<span class="bad">' .. result .. "</span>" }
            end
        end
    end
    return html_table({ "variant", "n", "median", "predicted", unit.name, "GB/s", "of memcpy", "of CUB", "to make it", "rounds", "result" }, rows),
        #rows
end

-- ---- the page ----

-- Baselines that would press the others to the floor (on a CPU memcpy, a plain C loop): they are left out of curves.
local function dwarfing(case, column)
    local others, hidden = 0, {}
    local function largest(variant)
        local value = 0
        for _, row in pairs(case.rows[variant]) do value = math.max(value, row[column] or 0) end
        return value
    end
    for _, variant in ipairs(case.variants) do if not BASELINES[variant] then others = math.max(others, largest(variant)) end end
    for variant in pairs(BASELINES) do hidden[variant] = case.rows[variant] and others > 0 and largest(variant) > 3 * others and "dwarfs" or nil end
    return hidden
end

-- Cases in the order of their first rows: rows by variant and n.
local function gather(tables)
    local cases, by_key = {}, {}
    for _, rows in ipairs(tables) do
        for _, row in ipairs(rows) do
            local key = row.device .. "\0" .. row.case
            local case = by_key[key]
            if not case then
                case = { name = row.case, device = row.device, kind = row.kind, rows = {}, variants = {}, sizes = {}, colours = {}, left_out = {},
                    id = "case" .. #cases + 1, coloured = 0 }
                by_key[key] = case
                cases[#cases + 1] = case
            end
            if not case.rows[row.variant] then
                case.rows[row.variant] = {}
                case.variants[#case.variants + 1] = row.variant
                if not BASELINES[row.variant] and not is_cub(row.variant) then
                    case.coloured = case.coloured + 1
                    case.colours[row.variant] = case.coloured
                end
            end
            if not case.rows[row.variant][row.n] and row.n > 0 then case.sizes[#case.sizes + 1] = row.n end
            case.rows[row.variant][row.n] = row
        end
    end
    for _, case in ipairs(cases) do
        table.sort(case.sizes)
        local kept = {}
        for _, n in ipairs(case.sizes) do if kept[#kept] ~= n then kept[#kept + 1] = n end end
        case.sizes = kept
        local order = {} -- ours first, baselines last
        for _, variant in ipairs(case.variants) do if not BASELINES[variant] and not is_cub(variant) then order[#order + 1] = variant end end
        for _, variant in ipairs { "cub", "cub 32-bit", "cub 64-bit", "memcpy", "copy kernel", "loop", "plain C loop", "oracle" } do
            if case.rows[variant] then order[#order + 1] = variant end
        end
        case.variants = order
    end
    return cases
end

-- A curve along the bits of a digit for each name that variants "NAME digit_bits=B" have, beside what was predicted of it: a case whose sizes are the
-- values that a digit can have, of the largest n. nil: there are no two such variants.
local PREDICTED = { "8 3", "2 3", "2 2 6 2" } -- dashes

local function digits_of(case)
    local largest, along = 0, { name = case.name, device = case.device, rows = {}, variants = {}, sizes = {}, colours = {}, guides = {},
        along = "bits of a digit", text_of = function(values) return ("%.0f"):format(math.log(values, 2)) end }
    local function each(with)
        for _, variant in ipairs(case.variants) do
            local name, bits = variant:match("^(.*) digit_bits=(%d+)$")
            if name then with(name:gsub("^strategy=", ""), 1 << math.min(tonumber(bits), 32), case.rows[variant]) end
        end
    end
    local seen, guides, measured = {}, 0, 0
    local function add(name, values, row, is_guide)
        if not along.rows[name] then
            along.rows[name] = {}
            along.variants[#along.variants + 1] = name
            if is_guide then guides = guides + 1 else measured = measured + 1 end
            if is_guide then along.guides[name] = PREDICTED[(guides - 1) % #PREDICTED + 1] else along.colours[name] = measured end
        end
        along.rows[name][values] = row
        if not seen[values] then along.sizes[#along.sizes + 1] = values end
        seen[values] = true
    end
    each(function(_, _, rows) for n, row in pairs(rows) do if row.median_us then largest = math.max(largest, n) end end end)
    each(function(name, values, rows)
        local row = rows[largest]
        if row and row.median_us then add(name, values, row) end
        if row and row.predicted_us and row.predicted_us > 0 then
            add(row.median_us and name .. ", predicted" or name, values,
                { median_us = row.predicted_us, gitems_per_s = largest / row.predicted_us / 1000 }, true)
        end
    end)
    table.sort(along.sizes)
    along.n = largest
    return #along.sizes > 1 and along or nil
end

-- Shares are of a copy that was run as well, in its fastest form: drivers' own copies may be slow on Vulkan. What runs on the host has no share of a
-- device's copy.
local function drop_foreign_shares(case)
    local is_vulkan, on_host = case.device:sub(1, 6) == "vulkan", case.device:sub(1, 4) == "host"
    for _, n in ipairs(case.sizes) do
        local function has(variant) return case.rows[variant] and case.rows[variant][n] and case.rows[variant][n].median_us end
        local has_copy = has("copy kernel") or (not is_vulkan and has("memcpy"))
        for _, variant in ipairs(case.variants) do
            local row = case.rows[variant][n]
            if row and (not has_copy or (ON_HOST[variant] and not on_host)) then row.percent_of_memcpy = nil end
            if row and ON_HOST[variant] then row.percent_of_cub = nil end
        end
    end
end

-- choices: the table of gen/choices.c, which pages have; bench/tables.lua, which reads CSVs alone, does without.
local function summary(cases)
    local rows = {}
    for i, case in ipairs(cases) do
        local n = largest_size(case)
        local variant = case.rows.default and case.rows.default[n] and "default" or case.variants[1]
        local row = case.rows[variant][n] or {}
        local rate = choices.has_keys[case.kind] and rate_text(row.gitems_per_s, "keys/s") or rate_text(row.gb_per_s, "B/s")
        rows[i] = { ('<a href="#%s">%s</a>'):format(case.id, escaped(case.name)), escaped(case.device), count_text(n), escaped(variant),
            (row.steady == "no" and "~ " or "") .. time_text(row.median_us), time_text(row.predicted_us), rate, per_cent(row.percent_of_memcpy),
            per_cent(row.percent_of_cub) }
    end
    return html_table({ "case", "device", "largest n", "variant", "median", "predicted", "throughput", "of memcpy", "of CUB" }, rows)
end

-- The unit in which a case's numbers are shown, by what is measured of the device at the most.
local function case_unit(case)
    local is_sort = choices.has_keys[case.kind]
    local column, most = is_sort and "gitems_per_s" or "gb_per_s", 0
    for_values(case, column, BASELINES, function(_, value) most = math.max(most, value) end)
    local letter, factor = unit_of(most)
    return { column = column, factor = factor, name = letter .. (is_sort and "keys/s" or "B/s"), is_bytes = not is_sort }
end

local function charts_of(case, unit)
    local charts = {}
    local function add(chart) charts[#charts + 1] = chart end
    local copies = dwarfing(case, "percent_of_memcpy")
    copies.memcpy, copies["copy kernel"] = true, true -- the others' shares are of the faster one
    add(curve(case, { title = "Throughput, " .. unit.name, column = unit.column, factor = unit.factor, unit = unit.name, text = shown },
        dwarfing(case, unit.column)))
    add(curve(case, { title = "Time of a run, logarithmic", column = "median_us", factor = 1, unit = "", text = time_text, is_log = true }, {}))
    add(curve(case, { title = "Per cent of memcpy", column = "percent_of_memcpy", factor = 1, unit = "% of memcpy", text = shown, mark = 100 },
        copies))
    local cub = { memcpy = true, cub = true, ["cub 32-bit"] = true, ["cub 64-bit"] = true }
    add(curve(case, { title = "Per cent of CUB's speed", column = "percent_of_cub", factor = 1, unit = "% of CUB", text = shown, mark = 100 }, cub))
    add(bars(case, unit, dwarfing(case, unit.column)))
    local digits = digits_of(case)
    if digits then
        add(curve(digits, { title = ("%s by bits of a digit, n = %s"):format(unit.name, count_text(digits.n)), column = unit.column,
            factor = unit.factor, unit = unit.name, text = shown }, {}))
    end
    return charts
end

-- "left out: CASE: .." notes go to their case, of the devices in the same table; the others stay.
local function take_left_out(rows, cases)
    local kept, has = {}, {}
    for _, row in ipairs(rows) do has[row.device .. "\0" .. row.case] = true end
    for _, note in ipairs(rows.notes) do
        local name, what = note:match("^left out: ([%w_]+): (.*)$")
        local found
        for _, case in ipairs(cases) do
            if case.name == name and has[case.device .. "\0" .. case.name] then case.left_out[#case.left_out + 1], found = what, true end
        end
        if not found then kept[#kept + 1] = note end
    end
    return kept
end

-- What a report of a device found, for the page.
local function card_of(rows, sections)
    local function text_of(column, value)
        if column:sub(-2) == "us" then return time_text(tonumber(value)) end
        if column == "n" and value:find("^%d+$") and #value < 18 then return count_text(math.tointeger(tonumber(value))) end
        return escaped(value)
    end
    local card = { title = rows[1] and rows[1].device or "a device", tables = {} }
    for i, shown_table in ipairs(found.tables(sections, text_of)) do
        card.tables[i] = { title = shown_table.title, html = html_table(shown_table.heads, shown_table.rows) }
    end
    return card
end

local function page(names, texts)
    local tables, wrong, unsteady, notes, cards = {}, {}, {}, {}, {}
    for i, name in ipairs(names) do
        tables[i] = parse_rows(name, texts[i])
    end
    local cases, has_cub = gather(tables), false
    for _, rows in ipairs(tables) do
        local sections
        sections, rows.notes = found.take(rows.notes, parse_lines)
        if sections then cards[#cards + 1] = card_of(rows, sections) end
        local kept = take_left_out(rows, cases)
        if #kept > 0 then notes[#notes + 1] = table.concat(kept, "; ") end
    end
    for i = #cases, 1, -1 do if #cases[i].sizes == 0 then table.remove(cases, i) end end
    for _, case in ipairs(cases) do
        local unit, count = case_unit(case)
        drop_foreign_shares(case)
        case.charts = charts_of(case, unit)
        case.table, count = case_table(case, unit)
        case.is_open = count <= 24
        has_cub = has_cub or (case.rows["cub 32-bit"] and case.rows["cub 64-bit"]) ~= nil
        for _, variant in ipairs(case.variants) do
            for _, n in ipairs(case.sizes) do
                local row = case.rows[variant][n]
                if row and not is_right(row) then wrong[#wrong + 1] = ("%s, %s, n = %s: %s"):format(case.name, variant, count_text(n), row.result) end
                if row and row.steady == "no" then unsteady[#unsteady + 1] = ("%s, %s, n = %s"):format(case.name, variant, count_text(n)) end
            end
        end
    end
    local title = #cards > 0 and "monosweep devices --report" or #cases == 1 and "monosweep bench: " .. cases[1].name or "monosweep bench"
    return template.expand("gen/cli/measure/page.tpl", file, { title = title, cards = cards, cases = cases, summary = summary(cases),
        palette = palette, wrong = wrong, unsteady = unsteady, notes = notes, has_cub = has_cub, text = escaped, ipairs = ipairs, table = table })
end

-- ---- JSON ----

local function quoted(text) return '"' .. text:gsub('[%c"\\]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"' end

local function rows_json(rows)
    local out = {}
    for i, row in ipairs(rows) do
        local fields = {}
        for f, column in ipairs(ALL) do
            local value = row[column]
            if type(value) == "string" then value = quoted(value) end
            if math.type(value) == "float" then value = ("%.10g"):format(value) end
            fields[f] = ('"%s": %s'):format(column, value == nil and "null" or tostring(value))
        end
        out[i] = "{" .. table.concat(fields, ", ") .. "}"
    end
    return "[" .. table.concat(out, ",\n ") .. "]"
end

-- The rows, a list; of a report an object that has them as its last member.
local function json(names, texts)
    local rows = parse_rows(names[1], texts[1])
    local sections, others = found.take(rows.notes, parse_lines)
    if not sections then return rows_json(rows) .. "\n" end
    for o, note in ipairs(others) do others[o] = quoted(note) end
    return ('{%s,\n "notes": [%s],\n "rows": %s}\n'):format(found.json(sections, quoted), table.concat(others, ",\n  "), rows_json(rows))
end

-- The cases of one table.
local function cases_of(name, text) return gather { parse_rows(name, text) } end

return { page = page, json = json, lines = parse_lines, curve = curve, style_of = style_of, palette = palette, cases = cases_of, digits = digits_of,
    time_text = time_text, number_text = shown }
