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
local picture = assert(load(read("bench/picture.lua"), "@bench/picture.lua"))(read, page)
local text = picture { { title = SHOWN.title, case = case, chart = SHOWN } }
if not out then return text end
local file = assert(io.open(out, "wb"))
assert(file:write(text))
assert(file:close())
