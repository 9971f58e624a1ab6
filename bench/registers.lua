-- registers.lua - estimated registers against the compiler's: msw_lua bench/registers.lua CUOBJDUMP FOLDER...
-- A folder is what `monosweep gen SPEC --target cubin -o FOLDER` wrote. What spills counts as that much more than 255 registers.
local cuobjdump, folders = ..., { select(2, ...) }
local MOST, WORST = 255, 5

local function read(command)
    local pipe = assert(io.popen(command))
    local text = pipe:read("a")
    pipe:close()
    return text
end

local kernels = {} -- { name, entry, live, held, estimate, found }
local function add_plan(folder, path)
    local file = assert(io.open(path, "rb"))
    local plan = file:read("a")
    file:close()
    local name = plan:match('"name": "([^"]+)"')
    for entry, live, held, estimate in plan:gmatch('"entry": "([^"]+)"[^}]-"live_words": (%d+), "held_words": (%d+), "registers": (%d+)') do
        local usage = tonumber(estimate) > 0 and read(("%s -res-usage %s/%s_%s.cubin 2>&1"):format(cuobjdump, folder, name, entry)) or ""
        local registers, stack = usage:match("REG:(%d+) STACK:(%d+)")
        if registers then
            kernels[#kernels + 1] = { name = name, entry = entry, live = tonumber(live), held = tonumber(held), estimate = tonumber(estimate),
                found = tonumber(registers) + tonumber(stack) / 4 }
        end
    end
end

for _, folder in ipairs(folders) do
    for path in read(("ls %s/*.plan.json"):format(folder)):gmatch("[^\n]+") do add_plan(folder, path) end
end

local function correlation(list)
    local n, x, y, xx, yy, xy, off = #list, 0, 0, 0, 0, 0, 0
    for _, k in ipairs(list) do
        local a, b = math.min(k.estimate, MOST), math.min(k.found, MOST)
        x, y, xx, yy, xy, off = x + a, y + b, xx + a * a, yy + b * b, xy + a * b, off + math.abs(a - b)
    end
    return (n * xy - x * y) / math.sqrt((n * xx - x * x) * (n * yy - y * y)), off / n
end

local by_entry, entries, spilled, foretold, feared = {}, {}, 0, 0, 0
for _, k in ipairs(kernels) do
    if not by_entry[k.entry] then by_entry[k.entry], entries[#entries + 1] = {}, k.entry end
    table.insert(by_entry[k.entry], k)
    spilled = spilled + (k.found > MOST and 1 or 0)
    foretold = foretold + (k.found > MOST and k.estimate > MOST and 1 or 0)
    feared = feared + (k.found <= MOST and k.estimate > MOST and 1 or 0)
end
table.sort(entries)
for _, entry in ipairs(entries) do
    local list = by_entry[entry]
    local r, off = correlation(list)
    if #list > 2 then print(("%-24s %4d kernels, correlation %.2f, off by %.0f registers in the mean"):format(entry, #list, r, off)) end
end
print(("%-24s %4d kernels, correlation %.2f, off by %.0f registers in the mean"):format("all", #kernels, correlation(kernels)))
print(("%d spill, of which %d were foretold; %d more were feared to"):format(spilled, foretold, feared))
table.sort(kernels, function(a, b)
    return math.abs(math.min(a.estimate, MOST) - math.min(a.found, MOST)) > math.abs(math.min(b.estimate, MOST) - math.min(b.found, MOST))
end)
for i = 1, math.min(WORST, #kernels) do
    local k = kernels[i]
    print(("worst: %s %s: %d estimated, %g found (%d words live, %d held)"):format(k.name, k.entry, k.estimate, k.found, k.live, k.held))
end
