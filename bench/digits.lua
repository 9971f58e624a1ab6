-- digits.lua - a picture of how sorts depend on the bits of a digit, and of the baselines of few keys: msw_lua bench/digits.lua ROOT CSV OUT, of the
-- table that `DIGITS=1 sh bench/measure.sh` measures. Without OUT the text is returned.
local root, csv, out = ...

local function read(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("a")
    file:close()
    return text
end
local function read_here(path) return read(root .. "/" .. path) end
local function chunk(path) return assert(load(read_here(path), "@" .. path)) end
local function module(path) return chunk(path)(module) end
local page = module("gen/cli/measure/page.lua")

local SHORT = { ["strategy=split"] = "split", ["strategy=onesweep digit_bits=1"] = "onesweep, 1 bit", default = "monosweep" }
local MOST_KEYS <const> = 1 << 20 -- of the second panel

local by_bits, few -- the two panels' cases
for _, case in ipairs(page.cases(csv, read(csv))) do
    local backend = case.device:find("^cuda") and "CUDA" or case.device:find("^vulkan") and "Vulkan"
    local digits = case.name == "u32" and backend and page.digits(case)
    if digits then
        by_bits = by_bits or { rows = {}, variants = {}, sizes = digits.sizes, colours = {}, guides = {}, along = digits.along, n = digits.n,
            text_of = digits.text_of }
        for _, variant in ipairs(digits.variants) do
            local is_guide = digits.guides[variant]
            local name = is_guide and variant or ("%s, %s"):format(variant, backend)
            if not (is_guide and by_bits.rows[name]) then -- predictions of both are one curve, nearly
                by_bits.rows[name], by_bits.guides[name] = digits.rows[variant], is_guide
                by_bits.variants[#by_bits.variants + 1] = name
                by_bits.coloured = (by_bits.coloured or 0) + (is_guide and 0 or 1)
                by_bits.colours[name] = not is_guide and by_bits.coloured or nil
            end
        end
    end
    if case.name == "u32" and backend == "CUDA" and case.rows["bitonic network"] then
        few = { rows = {}, variants = {}, sizes = {}, colours = {} }
        for _, variant in ipairs { "default", "bitonic network", "strategy=onesweep digit_bits=1", "strategy=split" } do
            local name = SHORT[variant] or variant
            few.variants[#few.variants + 1], few.rows[name], few.colours[name] = name, case.rows[variant] or {}, #few.variants + 1
        end
        for _, n in ipairs(case.sizes) do if n <= MOST_KEYS then few.sizes[#few.sizes + 1] = n end end
    end
end
assert(by_bits and few, csv .. ": not measured by `DIGITS=1 sh bench/measure.sh`")

local log2 = math.floor(math.log(by_bits.n, 2) + 0.5)
local text = chunk("bench/picture.lua")(read_here, page) {
    { title = ("Sorts of 2^%d u32 by the bits of a digit, Gkeys/s"):format(log2), case = by_bits,
        chart = { column = "gitems_per_s", factor = 1, unit = "Gkeys/s", text = page.number_text, title = "Gkeys/s by the bits of a digit" } },
    { title = "Few u32: the time of a sort by CUDA, both axes logarithmic", case = few,
        chart = { column = "median_us", factor = 1, unit = "", text = page.time_text, is_log = true, title = "Time by the number of keys" } },
}
if not out then return text end
local file = assert(io.open(out, "wb"))
assert(file:write(text))
assert(file:close())
