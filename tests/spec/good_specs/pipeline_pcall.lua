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
    -- What a call within the failing one has made is undone with it, and its arrays are no pipeline's; what one that succeeds has made stays.
    local lost
    assert(not pcall(function()
        assert(pcall(function() lost = p.map({ parts.rest }, same) end))
        assert(not pcall(p.output, "w"))
        p.output("rest", lost)
        error("not today")
    end))
    assert(not pcall(p.map, { lost }, same))
    local made
    assert(pcall(function()
        assert(not pcall(function() p.output("made", p.map { name = "made", input = x, output = same }) error("not today") end))
        made = p.map { name = "made", input = x, output = same }
    end))
    p.output("made", made)
    p.output("rest", parts.rest)
    p.output("z", p.map({ y }, function(v) return 2 * v end))
    for _ = 1, 9 do made = p.map({ made }, function(v) return v + 1 end) end
    for k = 1, 10000 do assert(pcall(same, k)) end -- which takes no longer where there are many operations
    p.output("far", made)
    p.output("more", p.append { name = "items", input = kept, length = same, item = same, capacity = 9 }.out)
end)
