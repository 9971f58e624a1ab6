-- constants.lua - what `tune --constants` measures: pipelines of one operation each, whose times are mostly that of one constant of a device.
return {
    spec = function()
        return [[
-- 510 instructions, none of which a compiler can put together with others; four may issue at once, as in functions that are shorter.
local function work(v)
    local parts = { v, v + 1, v + 2, v + 3 }
    for i = 0, 167 do parts[i % 4 + 1] = (parts[i % 4 + 1] ~ (parts[i % 4 + 1] >> 7)) * (2 * i + 1664525) end
    return parts[1] ~ parts[2] ~ parts[3] ~ parts[4]
end

return {
    pipeline(function(p) p.output("y", p.map({ p.input("x", u32) }, function(v) return v end)) end, { name = "copy" }),
    pipeline(function(p) p.output("y", p.map({ p.input("x", u32) }, work)) end, { name = "work" }),
    pipeline(function(p) p.output("s", p.reduce { monoid = sum(u32), input = p.input("x", u32) }) end, { name = "reduce" }),
    pipeline(function(p) p.output("s", p.scan { monoid = sum(u32), input = p.input("x", u32) }) end, { name = "scan" }),
    pipeline(function(p)
        p.output("kept", p.compact { input = p.input("x", u32), keep = function(v) return eq(v & 1, 0) end }.out)
    end, { name = "compact" }),
    pipeline(function(p) p.output("s", p.sort { keys = p.input("x", u32) }) end, { name = "sort" }),
}
]]
    end,
}
