-- tallies.lua - the states of a sweep's tile with two counters in a word: a tile has fewer items than 16 bits count. What a tile adds up to, and what
-- goes through a block's scan, is then half as much; its aggregate is a state as every other.

local WORD = { kind = "scalar", name = "u32", scalar = "u32", size = 4, align = 4, padded = false, leaves = { { path = "", scalar = "u32",
    offset = 0 } } }

-- A function whose nodes are made here, some of them of fn's (gen/expr/expr_lua.c).
local function maker(fn)
    local nodes, place = {}, {}
    local make = { nodes = nodes }
    function make.add(node)
        nodes[#nodes + 1] = node
        return #nodes
    end
    function make.constant(bits) return make.add { op = "const", type = "u32", bits = bits, args = {} } end
    function make.copy(id)
        if place[id] then return place[id] end
        local args = {}
        for i, arg in ipairs(fn.nodes[id].args) do args[i] = make.copy(arg) end
        place[id] = make.add(setmetatable({ args = args }, { __index = fn.nodes[id] }))
        return place[id]
    end
    return make
end

-- T with its last `counters` leaves in words.
local function narrow_type(T, first, words)
    if first == 0 and words == 1 then return WORD end
    local fields, leaves, size = {}, {}, 0
    if first > 0 then
        fields[1] = T.fields[1]
        table.move(T.leaves, 1, first, 1, leaves)
        size = (T.fields[1].type.size + 3) // 4 * 4
    end
    for w = 1, words do
        local name = words > 1 and "tallies" .. w or "tallies"
        fields[#fields + 1] = { name = name, type = WORD, offset = size }
        leaves[#leaves + 1] = { path = name, scalar = "u32", offset = size }
        size = size + 4
    end
    return { kind = "struct", name = "Tallies", size = size, align = math.max(4, T.align), padded = false, fields = fields, leaves = leaves }
end

-- Of op, whose states have `counters` of them behind all else: { type, identity = {bits}, combine, map, state = fn of a tile's state }.
return function(op, counters)
    local T = op.monoid.type
    local first, words = #T.leaves - counters, (counters + 1) // 2
    local P = narrow_type(T, first, words)

    local combine = op.monoid.combine
    local joined = maker(combine)
    local joined_leaves = {}
    for k = 1, first do joined_leaves[k] = joined.copy(combine.leaves[k]) end
    for w = 1, words do
        local terms = {}
        for p = 1, 2 do terms[p] = joined.add { op = "input", type = "u32", param = p, leaf = first + w, args = {} } end
        joined_leaves[first + w] = joined.add { op = "add", type = "u32", args = terms }
    end
    local params = {}
    for p = 1, 2 do params[p] = { name = combine.params[p].name, type = P } end

    local mapped = maker(op.map)
    local mapped_leaves = {}
    for k = 1, first do mapped_leaves[k] = mapped.copy(op.map.leaves[k]) end
    local function tally(k) -- of a counter, at its place in its word
        local node, one = op.map.nodes[op.map.leaves[first + k]], k % 2 == 1 and 1 or 1 << 16
        local function bits_of(arg) return op.map.nodes[arg].op == "const" and op.map.nodes[arg].bits * one end
        if node.op == "const" then return mapped.constant(node.bits * one) end
        assert(node.op == "where", "counters are chosen by a condition")
        return mapped.add { op = "where", type = "u32", args = { mapped.copy(node.args[1]), mapped.constant(bits_of(node.args[2])),
            mapped.constant(bits_of(node.args[3])) } }
    end
    for w = 1, words do
        local low = tally(2 * w - 1)
        mapped_leaves[first + w] = 2 * w > counters and low or mapped.add { op = "add", type = "u32", args = { low, tally(2 * w) } }
    end

    local whole = maker()
    local whole_leaves = {}
    for k = 1, first do whole_leaves[k] = whole.add { op = "input", type = T.leaves[k].scalar, param = 1, leaf = k, args = {} } end
    for k = 1, counters do
        local word = whole.add { op = "input", type = "u32", param = 1, leaf = first + (k + 1) // 2, args = {} }
        if k % 2 == 0 then word = whole.add { op = "shr", type = "u32", args = { word, whole.constant(16) } }
        elseif k < counters then word = whole.add { op = "and", type = "u32", args = { word, whole.constant(0xffff) } } end
        local wanted = T.leaves[first + k].scalar
        whole_leaves[first + k] = wanted == "u32" and word or whole.add { op = "convert", type = wanted, args = { word } }
    end

    local identity = table.move(op.monoid.identity, 1, first, 1, {})
    for w = 1, words do identity[first + w] = 0 end
    return { type = P, identity = identity,
        combine = setmetatable({ nodes = joined.nodes, leaves = joined_leaves, params = params, result = P }, { __index = combine }),
        map = setmetatable({ nodes = mapped.nodes, leaves = mapped_leaves, result = P }, { __index = op.map }),
        state = setmetatable({ nodes = whole.nodes, leaves = whole_leaves, params = { { name = "tallies", type = P } }, result = T },
            { __index = combine }) }
end
