-- narrow_index.lua - a traced function whose u64 parameter holds the index of an item, as one that takes the index in 32 bits: where items
-- are that few, and since most functions narrow it at once.

local U32 = { kind = "scalar", name = "u32", scalar = "u32", size = 4, align = 4, padded = false, leaves = { { path = "", scalar = "u32",
    offset = 0 } } }

-- fn (gen/expr/expr_lua.c) with parameter `position` as u32; a function of fewer parameters, or an opaque one, as it is.
return function(fn, position)
    if not fn or not fn.nodes or not fn.params[position] then return fn end
    local nodes, place = {}, {} -- place: of fn's nodes in `nodes`
    local narrow, wide
    local function add(node)
        nodes[#nodes + 1] = node
        return #nodes
    end
    local function is_index(id) return fn.nodes[id].op == "input" and fn.nodes[id].param == position end
    local function in_place(id)
        if not is_index(id) then return place[id] end
        wide = wide or add { op = "convert", type = "u64", args = { narrow } }
        return wide
    end
    for id, node in ipairs(fn.nodes) do
        if is_index(id) then
            narrow = add { op = "input", type = "u32", param = position, leaf = node.leaf, args = {} }
        elseif node.op == "convert" and is_index(node.args[1]) then
            place[id] = node.type == "u32" and narrow or add { op = "convert", type = node.type, args = { narrow } }
        elseif node.table and is_index(node.args[1]) then
            place[id] = add { op = "table", type = node.type, table = node.table, args = { narrow } }
        else
            local copy = setmetatable({ args = {} }, { __index = node })
            for i, arg in ipairs(node.args) do copy.args[i] = in_place(arg) end
            place[id] = add(copy)
        end
    end
    local result = setmetatable({ nodes = nodes, params = { table.unpack(fn.params) }, leaves = {} }, { __index = fn })
    for i, id in ipairs(fn.leaves) do result.leaves[i] = in_place(id) end
    result.params[position] = { name = fn.params[position].name, type = U32 }
    return result
end
