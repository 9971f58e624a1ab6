-- growth.lua - a picture of the table "How it grows" of gen/cut/design.md, drawn as the pages of `bench` are: msw_lua bench/growth.lua ROOT OUT.
-- Without OUT the text is returned.
local root, out = ...

local function read(path)
    local file = assert(io.open(root .. "/" .. path, "rb"))
    local text = file:read("a")
    file:close()
    return text
end
local function module(path) return assert(load(read(path), "@" .. path))(module) end
local page = module("gen/cli/measure/page.lua")

-- ---- the table, and Heirich's lines ----

local COLUMNS = { "states", "transitions", "time, µs" }
local GUIDES = { ["Heirich: n^1.15"] = 1.15, ["pruned: n^1.06"] = 1.06 }
local case = {
    sizes = {}, rows = {}, along = "operations", variants = { "transitions", "time, µs", "states", "Heirich: n^1.15", "pruned: n^1.06" },
    colours = { transitions = 1, states = 2, ["time, µs"] = 3 },
    guides = { ["Heirich: n^1.15"] = "8 3", ["pruned: n^1.06"] = "2 3" },
}
for _, variant in ipairs(case.variants) do case.rows[variant] = {} end
for n, states, transitions, ms in read("gen/cut/design.md"):gmatch("\n| (%d+) | (%d+) | (%d+) | ([%d.]+) |") do
    local values = { tonumber(states), tonumber(transitions), 1000 * tonumber(ms) }
    n = math.tointeger(n)
    case.sizes[#case.sizes + 1] = n
    for c, column in ipairs(COLUMNS) do case.rows[column][n] = { count = values[c] } end
    for guide, exponent in pairs(GUIDES) do case.rows[guide][n] = { count = n ^ exponent } end
end
assert(#case.sizes > 1, "gen/cut/design.md: there is no table of states and transitions")

-- ---- the picture ----

local SHOWN = { column = "count", factor = 1, unit = "", is_log = true, title = "How the search for a cut grows with the number of operations",
    text = function(x) return "10" .. ({ "", "²", "³", "⁴", "⁵", "⁶" })[math.floor(math.log(x, 10) + 0.5)] end }
local WIDTH, HEIGHT, TOP, LINE <const> = 560, 270, 24, 18 -- of a chart of the page; what is above it

-- The page's colours, as viewers read them that know no variables, and its classes.
local colours, classes = {}, {}
local template = read("gen/cli/measure/page.tpl")
for name, colour in template:gmatch("%-%-(%w+): (#%x+)") do colours[name] = colours[name] or colour end
for i = 1, 3 do colours["c" .. i] = page.palette[i][1] end
for name, rules in template:gmatch("\n%.(%w+) (%b{})") do
    if name == "grid" or name == "axis" or name == "line" or name == "dot" then classes[#classes + 1] = "." .. name .. " " .. rules end
end

local lines = {}
local function add(...) lines[#lines + 1] = string.format(...) end
add('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11" fill="var(--soft)">',
    WIDTH, HEIGHT + TOP + LINE)
add('<style>\n%s\n</style>', table.concat(classes, "\n"))
add('<rect width="%d" height="%d" fill="var(--card)"/>', WIDTH, HEIGHT + TOP + LINE)
add('<text x="12" y="17" font-size="13" fill="var(--ink)">%s</text>', SHOWN.title)
local x = 12
for _, variant in ipairs(case.variants) do
    local colour, dash = page.style_of(case, variant)
    add('<line x1="%.0f" y1="31" x2="%.0f" y2="31" style="stroke:%s;stroke-width:2.5;stroke-dasharray:%s"/>', x, x + 26, colour, dash)
    add('<text x="%.0f" y="35">%s</text>', x + 31, variant)
    x = x + 42 + 6.2 * utf8.len(variant)
end
add("%s\n</svg>", (page.curve(case, SHOWN, {}).svg:gsub("<svg ", ('<svg y="%d" width="%d" height="%d" '):format(TOP + LINE, WIDTH, HEIGHT), 1)))
local text = table.concat(lines, "\n"):gsub("var%(%-%-(%w+)%)", colours) .. "\n"
if not out then return text end
local file = assert(io.open(out, "wb"))
assert(file:write(text))
assert(file:close())
