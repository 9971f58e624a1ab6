-- Types that say what the arrays say.
local Pair = struct "Pair" { {"a", u32}, {"b", u32} }
return pipeline(function(p)
    local x, y, z = p.input("x", u32), p.input("y", f32), p.input("z", Pair)
    p.output("s", p.sort { keys = x, key = key { type = u32, bits = { 0, 8 } }, values = y, value = f32 }.values_out)
    p.output("t", p.sort { keys = z, key = key { type = struct "Pair" { {"a", u32}, {"b", u32} }, by = { {"b"} } } })
    p.output("k", p.reduce_by_key { keys = x, key = u32, values = y, value = f32, monoid = sum(f32) }.keys_out)
    p.output("g", p.segmented_scan { keys = x, key = u32, input = y, monoid = sum(f32) })
end)
