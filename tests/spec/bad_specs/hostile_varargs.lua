-- expect: the spec
local function count(...) return select('#', ...) end
local function loop(...) while true do count(...) end end
loop(table.unpack({}, 1, 200000))
