-- fold.lua - what templates of scans and reductions are told. T is the monoid's type.

local file = ...
local printer = file "gen/emit/printer.lua"
local clike = file "gen/emit/clike.lua"

local RETURN_COLUMNS = #"    return "

local function computes_with_floats(fn)
    for _, node in ipairs(fn.nodes or {}) do
        if node.type:find "^f" and node.op ~= "input" and node.op ~= "const" then return true end
    end
    return false
end

-- A map that asks for nothing near its item, without that parameter.
local function without_near(fn)
    if not fn.nodes or #fn.params < 3 then return fn end
    for _, node in ipairs(fn.nodes) do if node.op == "input" and node.param == 3 then return fn end end
    return setmetatable({ params = { fn.params[1], fn.params[2] } }, { __index = fn })
end

-- Of a balanced tree over `count` values, a power of two, which lie where their longest block ends: the joins up to the total of all, and from there
-- down to what comes before each value's end, where from = nil is what comes before all. { { from =, to = }, .. }, places from 0.
local function steps_up(count)
    local steps, step = {}, 1
    while step < count do
        for to = 2 * step - 1, count - 1, 2 * step do steps[#steps + 1] = { from = to - step, to = to } end
        step = 2 * step
    end
    return steps
end
local function steps_down(count)
    local steps, step = {}, count // 2
    while step > 0 do
        for to = step - 1, count - 1, 2 * step do steps[#steps + 1] = { from = to >= step and to - step or nil, to = to } end
        step = step // 2
    end
    return steps
end

-- What kernels have of a tile: states of type P, which a block's scan joins by tile_join; state_of(x) is the state of type T, after(a, x) the same
-- with a of type T before it. P is T but where counters share words (gen/emit/tallies.lua); templates' functions of T then have `of` behind their
-- names.
local function add_tallies(op, d, e, functions, constant_text)
    local function same(x) return x end
    e.P, e.tile_join, e.state_of, e.after, e.tile_map = e.T, e.join, same, e.join, e.map
    if not e.tallies then return nil end
    local tallies = file "gen/emit/tallies.lua"(op, e.tallies) -- few operations need it, as what follows
    functions[#functions + 1] = printer.function_text(tallies.combine, "add_tallies", d)
    functions[#functions + 1] = printer.function_text(tallies.state, "state_of_tallies", d)
    e.of, e.P = "_states", d:type_name(tallies.type)
    e.tile_map = e.define("tally_item", tallies.map, 2)
    e.nothing, e.nothing_text = "nothing()", constant_text(tallies.type, tallies.identity)
    function e.tile_join(a, b) return ("add_tallies(%s, %s)"):format(op.reverse and b or a, op.reverse and a or b) end
    function e.state_of(x) return ("state_of_tallies(%s)"):format(x) end
    function e.after(a, x) return e.join(a, e.state_of(x)) end
    function e.of_tile(names)
        names.T, names.of, names.nothing, names.join = e.P, "", e.nothing, e.tile_join
        names.shuffled = function(x, pattern) return e.shuffled_value(tallies.type, x, pattern) end
        return names
    end
    return tallies.type
end

-- Outputs that have s, or parts of it: { suffix, address, type, state(x), element(x, s) }, texts of s as an element x has it, what combine does not
-- read being the identity's, and of the element with that of s.
local function revisited(op, d)
    local T, list = op.monoid.type, {}
    for b, buffer in ipairs(op.buffers) do
        local leaf_of, has_all = {}, buffer.type == T
        for leaf, part in ipairs(buffer.parts or {}) do
            has_all = has_all and part == leaf
            if part > 0 then leaf_of[part] = leaf end
        end
        local function state(x)
            local leaves = {}
            for part, leaf in ipairs(T.leaves) do
                leaves[part] = leaf_of[part] and d:leaf(buffer.type, x, leaf_of[part]) or d:literal(leaf.scalar, op.monoid.identity[part]).text
            end
            return has_all and x or d:build(T, leaves)
        end
        local function element(x, s)
            local leaves = {}
            for leaf, part in ipairs(buffer.parts) do leaves[leaf] = part > 0 and d:leaf(T, s, part) or d:leaf(buffer.type, x, leaf) end
            return has_all and s or d:build(buffer.type, leaves)
        end
        if next(leaf_of) then
            list[#list + 1] = { suffix = op.has_output_fields and #list + 1 or "", address = ("params.buffers[%d]"):format(b - 1), type = buffer.type,
                name = buffer.name, state = state, element = element }
        end
    end
    return list
end

return function(op, kernel, d, e, functions)
    local T = op.monoid.type
    local reads_input = kernel.reads == "input"
    local parts = op.part and kernel.template == "scan/lookahead"
    local flagged = op.part_combine and kernel.template == "scan/lookahead" -- where a flag is enough in the place of a segment's number
    functions[#functions + 1] = printer.function_text(flagged and op.part_combine or op.monoid.combine, "combine", d)
    local map = parts and without_near(op.map) or op.map
    e.map = map and reads_input and e.define("map_item", map, 2) or function(x) return x end
    local has_states = e.leaves_states or e.takes_states -- scan_then_propagate leaves states in the scratch
    local stores_twice = kernel.strategy == "scan_then_propagate" and not has_states
    local output_map = op.output_map and (kernel.writes ~= "aggregates" or stores_twice) and e.define("output_item", op.output_map, 3)
    local veils = computes_with_floats(op.monoid.combine)
    local function constant_of(U, bits) return printer.value_text(printer.constant_tree(U, bits, d, veils), d, RETURN_COLUMNS) end
    local function constant_text(bits) return constant_of(T, bits) end
    local function same(x) return x end
    local leaves = kernel.writes ~= "aggregates"
    e.counts_alone, e.packs_early = op.counts_alone, op.packs_early
    e.packs = kernel.packs ~= 0 and not op.item and kernel.template ~= "scan/lookahead" and kernel.writes == "output" and kernel.packs
    local packs_early = op.packs_early and kernel.template == "scan/lookahead"
    local kept = packs_early and file "gen/emit/kept.lua"
    e.sides = packs_early and kept.sides(op, e.outputs.fields) or false -- of which items each output is, where a bit an item says it
    e.item_of_index = {} -- by output: of those whose packed items are places in the tile, what is there
    for k, field in ipairs(packs_early and e.outputs.fields or {}) do
        if field.is_numbered then e.item_of_index[k] = e.define("item_of_index" .. k, kept.value(op, field), 1) end
    end
    e.late = {} -- by output: of those whose packed values are made when they leave
    for k, field in ipairs(kernel.template == "scan/lookahead" and e.outputs.fields or {}) do
        if field.late and output_map then
            local value = file "gen/emit/kept.lua".late_value(op, field)
            local from = op.output_map.params[field.late_param].type
            local function scalar(...) return d:leaf(from, (select(field.late_param, ...)), field.late_leaf) end
            e.late[k] = { type = field.late, scalar = scalar, value = e.define("late_value" .. k, value) }
        end
    end
    function e.bit_count(bits) return d:expression("popcount", "u32", "u32", { clike.atom(bits) }).text end
    e.continued = op.continued and (e.packs == "tile" or packs_early) and
        e.define("continued_value", op.continued) or false
    e.continued_output = e.continued and op.continued_output or false
    e.state = has_states and T or false
    e.T, e.element, e.carry, e.carry_is_state = d:type_name(T), op.carry or false, op.carry and op.carry.name or false, op.carry == T
    e.from_carry = op.from_carry and e.define("state_of_carry", op.from_carry) or same
    e.to_carry = op.to_carry and leaves and e.define("carry_of_state", op.to_carry) or same
    e.totals_of = op.totals and leaves and e.define("totals_of", op.totals)
    e.item = op.item and kernel.writes ~= "aggregates" and e.define("item_of", op.item, 2) or false
    e.reach = e.item and e.define("reach", op.reach)
    if e.item then -- places of the array, and how many there are from `first` on
        local length = e.outputs.fields[1].length
        e.item_room = length and length .. "u" or "out_items.n"
        local left = e.item_room .. " - first"
        e.items_left = (length or e.Index == "uint" or op.is_wide) and left or ("uint(%s)"):format(left) -- a plan's n_max has 32 bits
    end
    e.recounts = op.recount ~= nil and not e.leaves_states
    e.recount = op.recount and reads_input and e.define("recount_item", op.recount, 3)
    e.recount_reads_input = op.recount ~= nil and #op.recount.params > 1
    e.hands_recounted = e.recount_reads_input and e.hands_inputs("in_is_aligned") or ""
    e.with_counts = op.recount and reads_input and e.define("with_counts", op.merged)
    e.count_segments = op.count_segments and e.define("segment_count", op.count_segments) or false
    e.empty = op.empty and leaves and e.define("empty_segment", op.empty) or false
    e.parts = parts and { type = op.part.result, of = e.define("part_of", op.part),
        joined = e.define("joined_part", op.part_joined), output = e.define("output_of_part", op.part_output) } or false
    for k, buffer in ipairs(e.inputs.fields or {}) do
        if buffer.has_offsets then e.segments = { member = "array" .. k, type = buffer.type } end
    end
    -- Whether lanes write items that follow each other. Places of 64 bits are none that a lane passes on.
    -- A look-back, which holds a tile while it waits, puts them together in shared memory (chunk_items at most), or does without narrow lengths.
    e.by_groups = e.item and not e.chunk_items and kernel.subgroup > 1 and kernel.strategy ~= "atomic_bump" and not op.is_wide
    if e.by_groups then e.outputs.is_single = false end
    -- Whether lengths are scanned in 32 bits, and a part's items are numbered by 16.
    e.narrow = e.chunk_items or (e.by_groups and kernel.template ~= "scan/lookback" and e.has_inputs and e.part_items and not e.writes_parts and
        e.part_items < 1 << 16)
    e.Short = d:scalar_name "u16" -- of a tile's places, and of numbers of its items up to a part's
    function e.length_of(number) return d:expression("convert", "u64", "u32", { clike.atom(number) }).text end
    e.leaves = op.totals and "params.carry_out, " .. e.totals.value or "params.carry_out"
    e.ROWS = reads_input and kernel.items // kernel.vector
    function e.in_tile(distance) return op.is_wide and ("uint(%s)"):format(distance) or distance end -- of places
    function e.packed_outputs() return file "gen/emit/packed.lua"(e.outputs.fields, e.outputs.is_record, e, d) end
    e.reverse, e.exclusive, e.commutative = op.reverse, op.exclusive, op.monoid.commutative
    e.balanced, e.steps_up, e.steps_down = op.is_balanced, steps_up, steps_down
    e.revisited = stores_twice and revisited(op, d)
    e.is_whole = "start + TILE <= n"
    if op.is_balanced and op.reverse then -- tiles begin at the last item
        e.is_whole = "start < n"
        for _, arrays in ipairs { e.inputs, e.outputs } do arrays.are_aligned = "n % VECTOR == 0u && " .. arrays.are_aligned end
    end
    e.place = op.reverse and "VECTOR - 1u - v" or "v"
    if parts and #map.params < 3 then e.near = false end -- beside outputs, which are made of parts, nothing asks for it
    e.map_takes_near, e.output_takes_near = e.near and op.map ~= nil and #op.map.params > 2, e.near and output_map and #op.output_map.params > 3
    local index = "start + row_place(row) + " .. e.place
    -- Of held_items.tpl, the one of a row and `v`: an item, its index, what is near it.
    local near = e.has_inputs and "near_of(items.rows[row], items.edges[row], %s, %s, n)" or "near_of(%.0s%s, n)"
    e.held = { item = "items.rows[row].at[" .. e.place .. "]", index = index, near = op.near and near:format(e.place, index) or "" }
    e.takes_items, e.hands_items = e.has_inputs and "Items items, " or "", e.has_inputs and "items, " or ""
    e.output_map, e.output_reads_input = output_map or false, output_map ~= nil and #op.output_map.params > 1
    e.identity_text = constant_text(op.monoid.identity)
    e.start_text = e.continued and constant_text(op.start) or e.identity_text
    e.init_text = op.init and constant_text(op.init) or e.identity_text
    e.lookback_lanes = kernel.lookback > 0 and e.LANES or 1
    e.looks_for, e.folds = false, false
    function e.descriptor_index(tile) return tile end
    function e.join(a, b) return ("combine(%s, %s)"):format(op.reverse and b or a, op.reverse and a or b) end
    function e.shuffled(x, pattern) return e.shuffled_value(T, x, pattern) end
    function e.payload_words(x) return e.words_of(T, x) end
    function e.from_payload(words) return e.from_words(T, words) end
    local types = { T, reads_input and op.input or T, op.output, op.near or T }
    types[#types + 1] = add_tallies(op, d, e, functions, constant_of)
    if op.totals and leaves then types[#types + 1] = op.totals.result end
    if e.parts then types[#types + 1] = e.parts.type end
    return types
end
