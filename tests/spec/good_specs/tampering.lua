-- What a spec does to its own globals and to objects' outsides changes nothing of the vocabulary.
local insert, assert, m = table.insert, assert, sum(u32)
rawset(u32, "handle", 1)
rawset(u32, 1, 2)
rawset(m, "type", f32)
local v = vec(f32, 2)(1, 2)
rawset(v, 1, "x")
local op = scan { name = "a", monoid = m }
rawset(op, "kind", "reduce")
rawset(op, "name", "../../x")
assert(getmetatable("") == "string" and getmetatable(u32) == "type" and not pcall(setmetatable, u32, {}))
string.find, string.format, math.max, min, where, lt, lor = nil, nil, nil, nil, nil, nil, nil
string, table, math, pairs, tostring, _G.type = nil, nil, nil, nil, nil, nil
local list = { op, scan { name = "b", monoid = argmin(u32) }, scan { name = "c", monoid = segmented(pair(sum(f32), minimum(vec(i8, 2)))) } }
insert(list, scan { name = "d", monoid = sum(vec(f32, 2)), init = v, map = function(x) if x == 0 then end return x end })
return list
