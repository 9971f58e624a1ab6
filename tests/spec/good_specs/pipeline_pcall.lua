-- A call that fails under pcall leaves no array, name or operation behind, and changes none.
local function same(x) return x end
return pipeline(function(p)
    local x = p.input("x", u32)
    local kept = p.compact { name = "kept", input = x, keep = function(v) return gt(v, 3) end }.out
    assert(not pcall(p.append, { name = "items", input = kept, length = same, item = same })) -- it lacks a capacity
    assert(not pcall(p.input, "y", u32, 0))
    assert(not pcall(p.output, "z"))
    local y = p.input("y", f32, 7)
    local parts = p.partition { name = "parts", input = x, first = function(v) return gt(v, 3) end }
    assert(not pcall(p.map, { parts.rest, y }, function(v, w) return w end)) -- they have two lengths
    p.output("rest", parts.rest)
    p.output("z", p.map({ y }, function(v) return 2 * v end))
    p.output("more", p.append { name = "items", input = kept, length = same, item = same, capacity = 9 }.out)
end)
