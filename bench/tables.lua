-- tables.lua - README's tables of figures, made of raw results: msw_lua bench/tables.lua ROOT RESULTS README OUT. Without OUT the text is returned.
-- A table stands between <!-- figures: NAME --> and <!-- end of figures -->; RESULTS has the CSVs that bench/measure.sh writes.
local root, results, readme, out = ...

local function read(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("a")
    file:close()
    return text
end

local loaded = {}
local function module(path)
    loaded[path] = loaded[path] or assert(load(read(root .. "/" .. path), "@" .. path))(module)
    return loaded[path]
end
local parse_lines = module("gen/cli/measure/page.lua").lines

-- ---- raw results ----

-- The rows of a table, as fields by the head's names; `notes`: what its first lines say, "# WHAT: ..".
local function rows_of(name)
    local lines, wrong = parse_lines(read(results .. "/" .. name .. ".csv"))
    if not lines then error(("%s.csv:%d: not a CSV"):format(name, wrong), 0) end
    local rows = { notes = {}, name = name }
    for _, note in ipairs(lines.notes) do
        local what, text = note:match("^(%w+): (.*)$")
        if what then rows.notes[what] = text end
    end
    for l = 2, #lines do
        rows[l - 1] = {}
        for c, column in ipairs(lines[1].fields) do
            local value = lines[l].fields[c]
            if value ~= "" then rows[l - 1][column] = tonumber(value) or value end
        end
    end
    return rows
end

-- The row of a variant whose name matches, of a case, by CUDA unless the table is Vulkan's: at n, or at the largest one. Of several that with the
-- most of `column` (the least: sign -1).
local missing = {}

local function find(rows, case, pattern, n, column, sign)
    local best
    local device = rows.name == "vulkan" and "vulkan" or "cuda"
    for _, row in ipairs(rows) do
        if row.case == case and row.device:sub(1, #device) == device and row.variant:find(pattern) and row[column] and (not n or row.n == n) then
            if pattern == "^default$" and not tostring(row.result):find "^verified" then
                error(("%s.csv: '%s' is %s; what computes something else has no figures"):format(rows.name, case, row.result), 0)
            end
            local more = best and (row[column] - best[column]) * (sign or 1)
            if not best or row.n > best.n or (row.n == best.n and more > 0) then best = row end
        end
    end
    if not best and not n then missing[#missing + 1] = ("%s.csv: '%s'"):format(rows.name, case) end
    return best
end

-- ---- texts ----

local function power(n)
    local log2 = math.log(n, 2)
    return log2 == math.floor(log2) and ("2^%d"):format(log2) or tostring(n)
end

local function three(x) return x >= 100 and ("%.0f"):format(x) or x >= 10 and ("%.1f"):format(x) or ("%.2f"):format(x) end

local function time(us) return us < 1000 and three(us) .. " us" or three(us / 1000) .. " ms" end

local function milliseconds(x) return not x and "" or x < 10 and ("%.1f"):format(x) or ("%.0f"):format(x) end

local function cell(row, text) return row and (row.steady == "no" and "~" or "") .. text(row) or "" end

local function table_text(head, lines)
    local text = { "| " .. table.concat(head, " | ") .. " |", ("|---"):rep(#head) .. "|" }
    for _, line in ipairs(lines) do text[#text + 1] = "| " .. table.concat(line, " | ") .. " |" end
    return table.concat(text, "\n") .. "\n"
end

local SELF_EVIDENT = { device = true, peers = true, nvrtc = true, remark = true }

-- What a table was measured with.
local function source(rows)
    local notes, text = rows.notes, {}
    for _, what in ipairs { "device", "driver", "peers", "nvrtc", "clocks", "commit", "remark" } do
        if notes[what] then text[#text + 1] = (SELF_EVIDENT[what] and "" or what .. " ") .. notes[what] end
    end
    return ("\n<sub>`bench/results/%s.csv`: %s</sub>\n"):format(rows.name, table.concat(text, "; "))
end

-- ---- the tables ----

local SCANS = {
    { "u32 sum", "u32 sum" }, { "f32 sum", "f32 sum" }, { "u64 sum", "u64 sum" }, { "i64 max", "i64 maximum" },
    { "affine u32x2", "affine map, 2 x u32, not commutative" }, { "matrix u32 2x2", "2x2 matrix of u32, not commutative" },
    { "matrix u64 2x2", "2x2 matrix of u64, not commutative" }, { "u16 sum", "u16 sum" }, { "f16 sum", "f16 sum" }, { "u8 sum", "u8 sum" },
    { "u32 reduce", "u32 reduction (bytes a second)" },
}

local function share(row) return ("%.1f %%"):format(row.percent_of_memcpy) end

local function scans()
    local rows, lines = rows_of("scans"), {}
    for _, case in ipairs(SCANS) do
        local ours = find(rows, case[1], "^default$", nil, "percent_of_memcpy")
        local cub = ours and find(rows, case[1], "^cub", ours.n, "percent_of_memcpy")
        if ours then
            lines[#lines + 1] = { case[2], power(ours.n), cell(ours, share), cell(cub, share),
                cell(cub, function(row) return ("%.2f x"):format(ours.percent_of_memcpy / row.percent_of_memcpy) end) }
        end
    end
    return table_text({ "operator", "elements", "monosweep, CUDA", "CUB", "speed" }, lines) .. source(rows)
end

-- Cases in the order of the results; of a case ours at its largest n.
local function sweeps(name)
    local rows, lines, seen = rows_of(name), {}, {}
    for _, row in ipairs(rows) do
        local ours = not seen[row.case] and find(rows, row.case, "^default$", nil, "percent_of_memcpy")
        local cub = ours and find(rows, row.case, "^cub", ours.n, "percent_of_memcpy")
        seen[row.case] = true
        if ours then
            lines[#lines + 1] = { row.case, power(ours.n), cell(ours, share), cell(ours, function(r) return three(r.gb_per_s) end),
                cell(cub, share), cell(cub, function(r) return ("%.2f x"):format(ours.percent_of_memcpy / r.percent_of_memcpy) end) }
        end
    end
    return table_text({ "sweep", "elements", "monosweep, CUDA", "GB/s", "CUB", "speed" }, lines) .. source(rows)
end

local SMALL_SIZES = { 1 << 10, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22 }

local function small()
    local rows, head, ours, theirs = rows_of("curves"), { "u32 sum" }, { "monosweep, CUDA" }, { "CUB" }
    for i, n in ipairs(SMALL_SIZES) do
        head[i + 1] = power(n)
        ours[i + 1] = cell(find(rows, "u32 sum", "^default$", n, "median_us", -1), function(row) return time(row.median_us) end)
        theirs[i + 1] = cell(find(rows, "u32 sum", "^cub", n, "median_us", -1), function(row) return time(row.median_us) end)
    end
    return table_text(head, { ours, theirs }) .. source(rows)
end

local SORTS = {
    { "u32", "u32" }, { "u32+u32", "u32, u32" }, { "argsort", "u32, index" }, { "u64", "u64" }, { "u64+u32", "u64, u32" },
    { "tile_depth", "the splats above: 46 bits, index" }, { "u16", "u16" }, { "u8", "u8" },
}
local SORT_SIZES = { 1 << 16, 1 << 20, 1 << 24, 1 << 28 }

local function sorts(name)
    local rows, lines, head = rows_of(name), {}, { "key, value" }
    for _, n in ipairs(SORT_SIZES) do head[#head + 1] = power(n) end
    head[#head + 1] = "Gkeys/s"
    for _, case in ipairs(SORTS) do
        local line, has = { case[2] }, false
        for _, n in ipairs(SORT_SIZES) do
            local ours, cub = find(rows, case[1], "^default$", n, "median_us", -1), find(rows, case[1], "^cub", n, "median_us", -1)
            has = has or ours ~= nil
            line[#line + 1] = cell(ours, function(row)
                return time(row.median_us) .. (cub and (", %.2f x"):format(cub.median_us / row.median_us) or "")
            end)
        end
        local last = find(rows, case[1], "^default$", SORT_SIZES[#SORT_SIZES], "gitems_per_s")
        line[#line + 1] = cell(last, function(row) return three(row.gitems_per_s) end)
        if not last then missing[#missing + 1] = ("%s.csv: '%s'"):format(name, case[1]) end
        if has or last then lines[#lines + 1] = line end
    end
    return table_text(head, lines) .. source(rows)
end

local VULKAN = {
    { "u32 sum", "scan, u32 sum" }, { "u64 sum", "scan, u64 sum" }, { "affine u32x2", "scan, affine map" }, { "u32", "sort, u32" },
    { "argsort", "sort, u32 and index" }, { "u16", "sort, u16" }, { "u8", "sort, u8" }, { "u64", "sort, u64" }, { "u64+u32", "sort, u64 and u32" },
}

local function vulkan()
    local rows, lines = rows_of("vulkan"), {}
    for _, case in ipairs(VULKAN) do
        local of_copy, of_keys = find(rows, case[1], "^default$", nil, "percent_of_memcpy"), find(rows, case[1], "^default$", nil, "gitems_per_s")
        local row = of_copy or of_keys
        if row then
            local keys = cell(of_keys, function(r) return three(r.gitems_per_s) .. " Gkeys/s" end)
            local copy = cell(of_copy, function(r) return share(r) .. " of a copy kernel" end)
            lines[#lines + 1] = { case[2], power(row.n), row.kind == "sort" and keys or copy }
        end
    end
    return table_text({ "operation", "elements", "monosweep, Vulkan" }, lines) .. source(rows)
end

local JIT = {
    { "u32_sum", "scan, u32 sum" }, { "affine", "scan, `examples/affine.lua`" }, { "sort_u32", "sort, u32" }, { "sort_u64_u32", "sort, u64 and u32" },
    { "words", "sort, `examples/words.lua`" },
}

local function jit()
    local rows, lines = rows_of("jit"), {}
    for _, case in ipairs(JIT) do
        local whole, slowest
        for _, row in ipairs(rows) do
            if row.operation == case[1] and row.cold_ms then whole = row end
            if row.operation == case[1] and row.kernel and (not slowest or row.to_code_ms > slowest.to_code_ms) then slowest = row end
        end
        local has_parts = slowest and slowest.to_ptx_ms
        if not whole then missing[#missing + 1] = "jit.csv: '" .. case[1] .. "'" end
        if whole then
            lines[#lines + 1] = { case[2], milliseconds(whole.needed_ms), milliseconds(whole.cold_ms), slowest and "`" .. slowest.kernel .. "`" or "",
                has_parts and milliseconds(slowest.to_ptx_ms) or "", has_parts and milliseconds(slowest.to_code_ms - slowest.to_ptx_ms) or "",
                milliseconds(whole.warm_ms) }
        end
    end
    local head = { "from a spec to loaded CUDA kernels, ms", "of n = 2^24", "of all n", "its slowest kernel", "to PTX (NVVM)", "to a cubin (ptxas)",
        "from the disk cache" }
    return table_text(head, lines) .. source(rows)
end

-- Sorts of u32 by the bits of a digit, and few keys by the baselines, as `DIGITS=1 sh bench/measure.sh` measures them.
local function digits()
    local rows, by_place, largest, most_bits = rows_of("digits"), {}, 0, 0
    for _, row in ipairs(rows) do
        local device = row.device:match("^%a+")
        local bits = tonumber(row.variant:match("digit_bits=(%d+)$"))
        if row.case == "u32" then
            if row.median_us and row.variant ~= "memcpy" and not tostring(row.result):find "^verified" and row.result ~= "-" then
                error(("digits.csv: %s, %s is %s; what computes something else has no figures"):format(device, row.variant, row.result), 0)
            end
            by_place[("%s %s %d"):format(device, row.variant, row.n)] = row
            if bits and row.median_us then largest, most_bits = math.max(largest, row.n), math.max(most_bits, bits) end
        end
    end
    local function measured(device, variant, n) return by_place[("%s %s %d"):format(device, variant, n)] end
    local function taken(row) return row and row.median_us and cell(row, function(r) return time(r.median_us) end) or "" end
    local function predicted(row) return row and row.predicted_us and time(row.predicted_us) or "" end

    local lines = {}
    for bits = 1, most_bits do
        local function of(device, name) return measured(device, ("%s digit_bits=%d"):format(name, bits), largest) end
        lines[bits] = { tostring(bits), taken(of("cuda", "strategy=onesweep")), predicted(of("cuda", "strategy=onesweep")),
            taken(of("cuda", "strategy=msd_hybrid")), taken(of("vulkan", "strategy=onesweep")), taken(of("vulkan", "strategy=msd_hybrid")),
            predicted(of("cuda", "model of SRTS")) }
    end
    local text = { ("Sorts of %s random u32 by the bits of a digit (`--set digit_bits=B`), beside what is predicted: by the instructions\n" ..
        "and bytes of our passes, and by the model of Merrill & Grimshaw's SRTS " ..
        "(three moves of a key a pass, 51.4 + 2^B instructions) on the same GPU.\n" ..
        "`msd_hybrid` partitions by as many bits as it takes for a bucket to fit a block, and by no more, however large B is.\n" ..
        "Where B is too small for such buckets, it sorts by passes, as Onesweep does:\n\n")
        :format(power(largest)),
        "![Throughput by the bits of a digit, measured and predicted; times of few keys by the baselines](bench/results/digits.svg)\n\n",
        table_text({ "bits", "Onesweep, CUDA", "predicted", "msd_hybrid, CUDA", "Onesweep, Vulkan", "msd_hybrid, Vulkan", "model of SRTS" }, lines) }

    -- Few keys: where ours begins to be the faster, of all n that were measured.
    local BASELINES = { { "bitonic network", "a bitonic network in one block" }, { "strategy=onesweep digit_bits=1", "Onesweep by 1 bit" },
        { "strategy=split", "split (upsweep and downsweep by 1 bit)" } }
    local sizes, few = {}, {}
    for _, row in ipairs(rows) do
        if row.case == "u32" and row.device:find "^cuda" and row.variant == "default" and row.n < largest then sizes[#sizes + 1] = row.n end
    end
    table.sort(sizes)
    local function ours(n) return measured("cuda", "default", n) end
    local crossings = {}
    for b, baseline in ipairs(BASELINES) do
        local last_won, first_lost, last
        for _, n in ipairs(sizes) do
            local row = measured("cuda", baseline[1], n)
            if row and row.median_us then
                last = n
                if row.median_us < ours(n).median_us then last_won, first_lost = n, nil else first_lost = first_lost or n end
            end
        end
        crossings[b] = not last_won and baseline[2] .. " nowhere"
            or not first_lost and ("%s up to all of its keys (%s)"):format(baseline[2], power(last))
            or ("%s up to %s keys"):format(baseline[2], power(last_won))
    end
    for _, n in ipairs(sizes) do
        if math.log(n, 2) % 2 < 0.5 then
            few[#few + 1] = { power(n), taken(ours(n)) }
            for _, baseline in ipairs(BASELINES) do table.insert(few[#few], taken(measured("cuda", baseline[1], n))) end
        end
    end
    text[#text + 1] = ("\nFew keys, by CUDA. Faster than ours are: %s.\n\n"):format(table.concat(crossings, "; "))
    text[#text + 1] = table_text({ "u32", "monosweep", "bitonic network", "Onesweep, 1 bit", "split" }, few)
    return table.concat(text) .. source(rows)
end

-- ---- the file ----

local made = { scans = scans, small = small, sorts = function() return sorts("sorts") end, vulkan = vulkan, jit = jit }
-- README has their tables once they are measured.
for name, make in pairs { sweeps = sweeps, sweeps_h100 = sweeps, sorts_h100 = sorts, digits = digits } do
    local file = io.open(results .. "/" .. name .. ".csv", "rb")
    if file then
        file:close()
        made[name] = function() return make(name) end
    end
end
local LATER = { digits = true } -- README has a place for them, which is empty before
local text, seen = read(readme), {}
text = text:gsub("(<!%-%- figures: ([%w_]+) %-%->\n).-(<!%-%- end of figures %-%->)", function(first, name, last)
    if not made[name] and LATER[name] then return first .. last end
    if not made[name] then error(readme .. ": no figures '" .. name .. "'", 0) end
    seen[name] = true
    return first .. made[name]() .. last
end)
for name in pairs(made) do
    if not seen[name] then error(readme .. ": there is no place for the figures '" .. name .. "'", 0) end
end
if not out then return text end
if #missing > 0 then error("not measured, so that README would lose it:\n" .. table.concat(missing, "\n"), 0) end
local file = assert(io.open(out, "wb"))
assert(file:write(text))
assert(file:close())
