-- keeps.lua - the function of a sweep's outputs, with a field for each packed array that says whether it has the item, beside the item's place: a
-- place that is NOWHERE for the others would be chosen, and compared again, for each item.

local NOWHERE = { u32 = 0xffffffff, u64 = -1 } -- as in gen/spec/spec.h
local U32 = { kind = "scalar", name = "u32", scalar = "u32", size = 4, align = 4, padded = false, leaves = { { path = "", scalar = "u32",
    offset = 0 } } }

local function leaf_of(T, path)
    for k, leaf in ipairs(T.leaves) do if leaf.path == path then return k end end
end

local function extended(list, more) return table.move(more, 1, #more, #list + 1, table.move(list, 1, #list, 1, {})) end

-- fn (gen/expr/expr_lua.c) gives a record with the places of `buffers`, of which these get a field `keeps`. Where no place is such a choice,
-- fn itself.
return function(fn, buffers)
    local nodes, leaves = extended(fn.nodes, {}), extended(fn.leaves, {})
    local fields, paths, keeps = {}, {}, {}
    local function add(node)
        nodes[#nodes + 1] = node
        return #nodes
    end
    local function is_nowhere(id) return nodes[id].op == "const" and nodes[id].bits == NOWHERE[nodes[id].type] end
    for _, buffer in ipairs(buffers) do
        local k = buffer.count and buffer.place and leaf_of(fn.result, buffer.place)
        local place = k and nodes[fn.leaves[k]]
        if place and place.op == "where" and is_nowhere(place.args[2]) ~= is_nowhere(place.args[3]) then
            local others = is_nowhere(place.args[2]) -- it has those of which the condition does not hold
            if not keeps[buffer.place] then
                local one, zero = add { op = "const", type = "u32", bits = 1, args = {} }, add { op = "const", type = "u32", bits = 0, args = {} }
                leaves[#leaves + 1] = add { op = "where", type = "u32", args = { place.args[1], others and zero or one, others and one or zero } }
                leaves[k] = place.args[others and 3 or 2]
                keeps[buffer.place] = "keeps_" .. buffer.name
                fields[#fields + 1] = { name = keeps[buffer.place], type = U32 }
                paths[#paths + 1] = { path = keeps[buffer.place], scalar = "u32", offset = 0 }
            end
            buffer.keeps = keeps[buffer.place]
        end
    end
    if #fields == 0 then return fn end
    local result = setmetatable({ fields = extended(fn.result.fields, fields), leaves = extended(fn.result.leaves, paths) }, { __index = fn.result })
    return setmetatable({ nodes = nodes, leaves = leaves, result = result }, { __index = fn })
end
