-- card.lua - the operations that devices --report measures.
return {
    spec = function()
        return [[
return {
    scan { name = "scan", monoid = sum(u32), kind = "exclusive" },
    reduce { name = "reduce", monoid = sum(u32) },
    sort { name = "sort", key = u32 },
    scan { name = "scan_u32", monoid = sum(u32), kind = "exclusive" }, -- in many forms, at one n
    scan { name = "scan_u8", monoid = sum(u8), kind = "exclusive" },
    scan { name = "scan_u16", monoid = sum(u16), kind = "exclusive" },
    scan { name = "scan_u64", monoid = sum(u64), kind = "exclusive" },
    scan { name = "scan_f16", monoid = maximum(f16), kind = "exclusive" }, -- bits are promised, as of integers
    scan { name = "scan_f64", monoid = maximum(f64), kind = "exclusive" },
}
]]
    end,
}
