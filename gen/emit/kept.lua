-- kept.lua - what kernels know of packed items before these are packed: by one bit whether an item is kept, and of values that are made of the index
-- alone that a place in the tile is enough.

local kept = {}

-- Whether node a of fn f is node b of fn g, whose parameters come `later` than f's.
local function comparison(f, g, later)
    local known = {}
    local function same(a, b)
        local x, y = f.nodes[a], g.nodes[b]
        local param = x.param and not x.is_uniform and x.param + later or x.param
        if x.op ~= y.op or x.type ~= y.type or x.bits ~= y.bits or x.leaf ~= y.leaf or param ~= y.param or #x.args ~= #y.args then return false end
        if (x.is_uniform or false) ~= (y.is_uniform or false) then return false end
        if (x.table and x.table.name) ~= (y.table and y.table.name) then return false end
        local key = a * #g.nodes + b
        if known[key] == nil then
            known[key] = true
            for k, arg in ipairs(x.args) do known[key] = known[key] and same(arg, y.args[k]) end
        end
        return known[key]
    end
    return same
end

-- The condition of node `id`, which is a choice of 1 and 0, and whether it is 1 where the condition holds.
local function choice(fn, id)
    local node = fn.nodes[id]
    if node.op ~= "where" then return nil end
    local x, y = fn.nodes[node.args[2]], fn.nodes[node.args[3]]
    if x.op ~= "const" or y.op ~= "const" or x.bits + y.bits ~= 1 or x.bits * y.bits ~= 0 then return nil end
    return node.args[1], x.bits == 1
end

local function leaf_of(T, path)
    for k, leaf in ipairs(T.leaves) do if leaf.path == path then return k end end
end

-- Of op, whose states are one counter, and whose output_map has been through keeps.lua: of each output whether it has the items that the map counts
-- (true) or the others (false). nil: an output's items are others still, or have other places.
function kept.sides(op, fields)
    local map, output_map = op.map, op.output_map
    if not op.counts_alone or #op.monoid.type.leaves ~= 1 or not map or not map.nodes or not output_map or not output_map.nodes then return nil end
    local counted, is_one = choice(map, map.leaves[1])
    if not counted then return nil end
    local same, sides = comparison(map, output_map, 1), {}
    for k, field in ipairs(fields) do
        local leaf = field.keeps and not field.has_tails and leaf_of(output_map.result, field.keeps)
        if not leaf then return nil end
        local condition, is_kept = choice(output_map, output_map.leaves[leaf])
        if not condition or not same(counted, condition) then return nil end
        sides[k] = is_kept == is_one
        local place = output_map.nodes[output_map.leaves[leaf_of(output_map.result, field.place)]]
        if sides[k] and (place.op ~= "input" or place.param ~= 1) then return nil end
        if not sides[k] and op.reverse then return nil end
        if sides[k] == (field.count:find "^n %- " ~= nil) then return nil end
    end
    return sides
end

-- The function of an output's values, which are made of one scalar alone: (x) -> field.type. param: the parameter that has it.
local function value_of_one(op, field, param, type)
    local fn, nodes, place, leaves = op.output_map, {}, {}, {}
    local function copy(id)
        if place[id] then return place[id] end
        local node = setmetatable({ args = {} }, { __index = fn.nodes[id] })
        for k, arg in ipairs(fn.nodes[id].args) do node.args[k] = copy(arg) end
        if node.op == "input" and not node.is_uniform then node.param, node.leaf = 1, 1 end
        nodes[#nodes + 1] = node
        place[id] = #nodes
        return #nodes
    end
    for k = 1, #field.type.leaves do leaves[k] = copy(fn.leaves[field.first_leaf + k]) end
    return setmetatable({ nodes = nodes, leaves = leaves, params = { { name = fn.params[param].name, type = type } }, result = field.type },
        { __index = fn })
end

-- Of values that are made of the index alone: (i) -> field.type.
function kept.value(op, field) return value_of_one(op, field, 3, op.output_map.params[3].type) end

-- Of values that are made when they leave: (the scalar that they are made of) -> field.type.
function kept.late_value(op, field) return value_of_one(op, field, field.late_param, field.late) end

return kept
