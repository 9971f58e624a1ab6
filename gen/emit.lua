-- emit.lua - a planned kernel as text: fills a template's environment from the operation, the geometry and a dialect.
--
-- emit(op, kernel, device) -> { text =, features = {int64 = true, ..}, alignments = {bytes of in's address, of out's} }
--   op      { name, doc, kind, reverse, exclusive, monoid = { name, type, identity = {bits}, combine = fn, commutative }, init = {bits}|nil,
--             input = T, output = T, map = fn|nil, output_map = fn|nil }
--   kernel  { backend, entry, template, strategy, reads, writes, block, subgroup, items, vector, knobs_text, earlier = { tile, blocks }|nil }
--   device  { int8 = bool, .. }: features that the dialect may use

local file = ...
local template = file "gen/template.lua"
local printer = file "gen/printer.lua"
local prune = file "gen/prune.lua"
local narrow_index = file "gen/narrow_index.lua"
local clike = file "gen/clike.lua"

local RETURN_COLUMNS = #"    return "

-- Names that templates and prelude define; a user's struct or parameter of that name gets another.
local TEMPLATE_NAMES = {
    "BLOCK", "LANES", "VECTOR", "ROWS", "TILE", "EARLIER_TILE", "EARLIER_BLOCKS", "UNROLL", "Parameters", "params", "Count", "is_given",
    "is_vector_aligned", "launch_bound", "element_count", "block_id", "block_count", "block_barrier", "lane_id", "subgroup_id", "thread_id", "shuffle",
    "shuffle_up", "exchange", "Aggregates", "AGGREGATES_OFFSET", "block_aggregates", "address_at", "Words", "In", "InWords", "Out", "OutWords", "Carry",
    "Inputs", "Outputs", "Elements", "subgroup_scan",
    "subgroup_shift", "BlockScan", "block_scan", "subgroup_totals", "TileRange", "owned_tiles", "tile_count", "tile_start", "row_place", "Tile",
    "load_tile", "TileScan", "scan_tile", "store_tile", "reduce_tile", "starting_prefix", "store_carry", "aggregate_before", "block_reduce",
    "load_inputs", "load_full_inputs", "load_first_inputs", "load_elements", "load_first_elements", "store_outputs", "store_full_outputs",
    "store_first_outputs", "store_elements", "store_first_elements", "identity", "combine", "map_item", "output_item", "main", "DESCRIPTORS_OFFSET",
    "WORDS", "DEPTH", "WINDOW", "SPIN_LIMIT", "NO_TILE", "EMPTY", "AGGREGATE", "PREFIX", "Counters", "launch_tag", "take_ticket", "end_launch",
    "Descriptor", "Posts", "publish", "post_word", "poll", "is_posted", "publish_aggregate", "publish_prefix", "LookBack", "look_back", "last_lane",
    "votes", "ticket", "tile_prefix", "missing_tile",
}

-- "in: u8[n], 4-byte aligned; .."
local function buffers_text(op)
    local function buffer(name, T, length) return ("%s: %s%s, %d-byte aligned"):format(name, T.name, length, math.max(T.align, 4)) end
    return buffer("in", op.input, "[n]") .. "; " .. buffer("out", op.output, op.kind == "scan" and "[n]" or "")
end

local function emit(op, kernel, device)
    local folder = "backends/" .. kernel.backend .. "/"
    local d = file(folder .. "dialect.lua")(device)
    d:reserve(TEMPLATE_NAMES)
    local T = op.monoid.type
    local type_name = d:type_name(T)
    local lanes = kernel.subgroup == 1 and kernel.block or kernel.subgroup
    local reads_input = kernel.reads == "input"

    local functions = { printer.function_text(op.monoid.combine, "combine", d) }
    -- Defines a function of an item and its index, the parameter at `position`; gives the text of its calls.
    local function define(name, fn, position)
        if d.index == "u32" then fn = narrow_index(fn, position) end
        functions[#functions + 1] = printer.function_text(fn, name, d)
        return function(...)
            local arguments, index = { ... }, fn.params[position]
            if index and index.type.scalar ~= d.index then arguments[position] = d:apply("convert", "u64", d.index, { arguments[position] }) end
            return ("%s(%s)"):format(name, table.concat(arguments, ", ", 1, #fn.params))
        end
    end
    local map = op.map and reads_input and define("map_item", op.map, 2) or function(x) return x end
    local output_map = op.output_map and kernel.writes ~= "aggregates" and define("output_item", op.output_map, 3)
    local function constant_text(bits) return printer.value_text(printer.constant_tree(T, bits, d), d, RETURN_COLUMNS) end
    local identity_text = constant_text(op.monoid.identity)
    local init_text = op.init and constant_text(op.init) or identity_text

    local function source(name)
        return file("templates/" .. name .. ".tpl", "optional") or file(folder .. name .. ".tpl", "optional")
            or d.family and file(d.family .. name .. ".tpl", "optional")
    end
    local alignment = { [op.input] = op.input.align, [op.output] = op.output.align }
    local function memory_codec(U)
        local codec = d:memory_codec(U, kernel.vector)
        alignment[U] = codec.align
        return codec
    end
    local environment = {
        assert = assert, ipairs = ipairs, pairs = pairs, table = table,
        title = ("%s: %s"):format(op.name, op.title), provenance = kernel.provenance, buffers_text = buffers_text(op),
        T = type_name, Index = d:scalar_name(d.index), Address = d.address, element = T, input = op.input, output = op.output,
        BLOCK = kernel.block, SUBGROUP = kernel.subgroup, LANES = lanes, SUBGROUPS = kernel.block // lanes,
        ITEMS = kernel.items, VECTOR = kernel.vector, ROWS = reads_input and kernel.items // kernel.vector, earlier = kernel.earlier or false,
        strategy = kernel.strategy, reads = kernel.reads, writes = kernel.writes,
        reverse = op.reverse, exclusive = op.exclusive, commutative = op.monoid.commutative,
        place = op.reverse and "VECTOR - 1u - v" or "v",
        map = map, output_map = output_map or false, output_reads_input = output_map ~= nil and #op.output_map.params > 1,
        identity_text = identity_text, init_text = init_text,
        memory_codec = memory_codec,
        kernel = function() return d:kernel_head(kernel.entry) end,
        shared = function(U, name, count) return d:shared_array(U, name, count) end,
        buffer = function(name, element, alignment) return d:buffer_type(name, element, alignment) end,
        fallback = kernel.fallback, spin_limit = kernel.spin, withhold = kernel.withhold or false, descriptor = kernel.descriptor,
        lookback_lanes = kernel.lookback > 0 and lanes or 1, lookback_depth = math.max(kernel.lookback, 1),
        aggregates_offset = kernel.aggregates_offset, descriptors_offset = kernel.descriptors_offset,
    }
    function environment.join(a, b) return ("combine(%s, %s)"):format(op.reverse and b or a, op.reverse and a or b) end
    -- The value x through `pattern`, which takes what subgroups shuffle.
    function environment.shuffled(x, pattern)
        local function through(e) return clike.parse(pattern:format(e.text)) end
        local function tree(U, e)
            if d:can_shuffle(U) then return { move = through(e) } end
            if U.kind == "scalar" then return { move = d:from_bits(U.scalar, through(d:to_bits(U.scalar, e))) } end
            local parts = {}
            for i, part in ipairs(d:parts(U)) do parts[i] = tree(part.type, part.access(e)) end
            return { build = U, parts = parts }
        end
        return printer.value_text(tree(T, clike.atom(x)), d, RETURN_COLUMNS)
    end

    -- A value as texts of 32-bit words, and back.
    function environment.payload_words(x)
        local words = {}
        for i, leaf in ipairs(T.leaves) do
            for _, word in ipairs(d:to_words(leaf.scalar, d:leaf(T, x, i))) do words[#words + 1] = word end
        end
        return words
    end
    function environment.from_payload(words)
        local texts, at = {}, 1
        for i, leaf in ipairs(T.leaves) do
            local count = #d:to_words(leaf.scalar, "x")
            texts[i] = d:from_words(leaf.scalar, { words[at], count == 2 and words[at + 1] or nil })
            at = at + count
        end
        return d:build(T, texts)
    end
    if kernel.template == "lookback" and kernel.descriptor == "tagged" then d:use_wide_atomics() end

    -- The body first: it settles which helpers and extensions the head must have.
    local definitions = d:definitions { T, reads_input and op.input or T, op.output }
    local operators = table.concat(functions, "\n")
    environment.types = definitions
    environment.functions = operators
    local body = template.expand(kernel.template, source, environment)
    environment.helpers = d:helpers()
    environment.extensions = d:extensions(kernel.subgroup)
    local text = template.expand("prelude", source, environment) .. "\n" .. body
    return { text = d:finished(prune(text)), features = d:features(), alignments = { alignment[op.input], alignment[op.output] } }
end

return emit
