-- emit.lua - a planned kernel as text: fills a template's environment from the operation, the geometry and a dialect.
--
-- emit(op, kernel, device, words_among) -> { text =, features = {int64 = true, ..}, alignments = {bytes of each buffer's address} }
--   op      { name, title, kind, buffers = {{ name =, type = T, is_single = bool }, ..}, input = T, output = T, map = fn|nil }, and
--           of a scan or reduction: reverse, exclusive, monoid = { name, type, identity = {bits}, combine = fn, commutative }, init = {bits}|nil,
--           output_map = fn|nil; of a sort: key = { image = fn, bits }, value = T|nil, gives_index
--   kernel  { backend, entry, template, strategy, reads, writes, provenance, earlier = { tile, blocks }|nil, .. }, and the
--           knobs by name (gen/choices.h)
--   device  { int8 = bool, .. }: features that the dialect may use
--   words_among(text, table) -> the table's values for words of the text (gen/emit/emit.c)

local file = ...
local template = file "gen/emit/template.lua"
local printer = file "gen/emit/printer.lua"
local prune = file "gen/emit/prune.lua"
local narrow_index = file "gen/emit/narrow_index.lua"
local clike = file "gen/emit/clike.lua"

local RETURN_COLUMNS = #"    return "

-- Names that templates and prelude define; a user's struct or parameter of that name gets another.
local TEMPLATE_NAMES = {
    "BLOCK", "LANES", "VECTOR", "ROWS", "TILE", "EARLIER_TILE", "EARLIER_BLOCKS", "UNROLL", "Parameters", "params", "Count", "is_given",
    "is_vector_aligned", "element_count", "block_id", "block_count", "block_barrier", "block_barrier_all_memory", "lane_id", "subgroup_id",
    "thread_id",
    "shuffle",
    "shuffle_up", "exchange", "moved_words", "launch_words", "Aggregates", "AGGREGATES_OFFSET", "block_aggregates", "address_at", "address_after",
    "chunks_of_65536", "Words", "In", "InWords", "Out", "OutWords", "Carry",
    "Inputs", "Outputs", "Elements", "subgroup_scan", "subgroup_scan_of",
    "subgroup_shift", "BlockScan", "block_scan", "subgroup_totals", "TileRange", "owned_tiles", "tile_count", "tile_start", "row_place", "Tile",
    "load_tile", "TileScan", "scan_tile", "store_tile", "reduce_tile", "starting_prefix", "store_carry", "aggregate_before", "block_reduce",
    "load_inputs", "load_full_inputs", "load_first_inputs", "load_elements", "load_first_elements", "store_outputs", "store_full_outputs",
    "store_first_outputs", "store_elements", "store_first_elements", "identity", "combine", "map_item", "output_item", "main", "DESCRIPTORS_OFFSET",
    "WORDS", "DEPTH", "WINDOW", "SPIN_LIMIT", "NO_TILE", "EMPTY", "AGGREGATE", "PREFIX", "Counters", "LAUNCH", "ZEROED", "TURN", "TICKET",
        "FINISHED", "load_counter", "constant_counter", "store_counter", "add_counter",
    "release_counter", "acquire_counters", "launch_tag", "take_ticket", "end_launch",
    "Descriptor", "Posts", "Word", "load_word", "store_word", "compare_exchange_word", "load_flag", "store_flag",
    "publish", "poll", "publish_aggregate", "publish_prefix", "publish_missing", "LookBack",
    "look_back", "last_lane",
    "votes", "STAGES", "STAGE_BYTES", "stages", "signals", "COME", "SUMMED", "PRECEDED", "SIGNALS", "give_signal", "wait_for_signal", "AHEAD",
        "TOTALS",
    "posted", "Piece", "PIECE_WORDS", "SUBGROUP_ITEMS", "subgroup_results",
    "first_prefix", "tile_totals", "tile_prefixes", "precede_tiles", "begin_stages", "stage_address", "shared_address", "fill_stage", "ready_stage",
    "leave_stage", "end_leaves", "wait_for_earlier_leaves", "wait_for_leaves", "is_whole", "empty_places", "staged_bytes", "staged_array",
    "complete_tile", "complete_stage", "Bytes", "fill_with_tile", "stage_shift", "THREAD_WORDS",
    "align_stage", "copy_stage", "Quad", "TileSum", "sum_tile", "Tiles", "tiles_of", "Summed", "sum_next_tile", "sum_posts", "ticket", "tile_prefix",
    "missing_tile", "subgroup_barrier", "ranked_digit",
     "DIGIT_BITS", "BINS", "PASSES", "Digit", "digit_of_pass", "digit_of", "key_image",
    "thread_scan", "HISTOGRAM_OFFSET", "STARTS_OFFSET", "VARIES_OFFSET", "Histogram", "Starts", "Varies", "COPIES", "GROUPS", "counts", "count_key",
    "SUBGROUPS", "THREAD_BINS", "has_one_bin", "RANK_ROWS", "TileKeys", "TileRanks", "rank_of", "TileDigits", "SLOT_BITS", "WORD_DIGITS",
    "kept_digit", "TileValues", "ThreadBins", "digit_counts", "last_digit", "clear_digit_counts",
    "count_digits", "count_ones", "sum_counts", "sum_thread_bins", "place_thread_bins", "rank_items", "Peers", "match_digit", "lane_digits",
    "store_exchanged_key",
    "load_exchanged_key", "store_exchanged_value", "load_exchanged_value", "IN_PLACE", "PING_PONG", "zeroed_count", "SPARE_OFFSET", "TILE_KEY_BYTES",
    "DESCRIPTOR_BYTES", "Route", "route_of", "Spares",
    "spares_of", "Keys", "Values", "KeysItem", "ValuesItem", "load_input", "load_key", "store_key", "load_value", "store_value", "bin_places",
    "first_repeat", "STORE_ROWS", "missing_tiles", "missing_counts", "last_place", "key_at", "load_keys", "load_values",
    "InItem", "OutItem", "CarryItem", "store_exchanged_place", "load_exchanged_place", "TilePlaces", "is_settled", "rank_at", "BinTable",
    "next_places", "sort_turn", "end_turn",
    "finish_block", "is_last_block", "has_posts_of", "thread_place", "clear_old_keys", "KEYS_END_OFFSET", "KeysEnd", "SPARE_UNITS", "TILE_KEY_UNITS",
    "TILE_POST_UNITS", "first_post_unit", "units_before", "has_room", "ALL_LANES", "match_digit_at", "last_lane_at", "shuffle_at",
}

-- "in: u8[n], 4-byte aligned; .."
local function buffers_text(op)
    local texts = {}
    for i, buffer in ipairs(op.buffers) do
        local length = buffer.is_single and "" or "[n]"
        texts[i] = ("%s: %s%s, %d-byte aligned"):format(buffer.name, buffer.type.name, length, math.max(buffer.type.align, 4))
    end
    return table.concat(texts, "; ")
end

-- What every template may use. `functions`: texts of the spec's functions, to which define adds.
local function common_environment(op, kernel, d)
    local folder = "backends/" .. kernel.backend .. "/"
    local lanes = kernel.subgroup == 1 and kernel.block or kernel.subgroup
    local e = {
        assert = assert, ipairs = ipairs, pairs = pairs, table = table,
        title = ("%s: %s"):format(op.name, op.title), provenance = kernel.provenance, buffers_text = buffers_text(op),
        launch_n = d.index == "u32" and "params.n.x" or "params.n", -- n, or the bound of a device-side n, as it was launched
        Index = d:scalar_name(d.index), Address = d.address, input = op.input, output = op.output,
        BLOCK = kernel.block, SUBGROUP = kernel.subgroup, LANES = lanes, SUBGROUPS = kernel.block // lanes,
        ITEMS = kernel.items, VECTOR = kernel.vector, earlier = kernel.earlier or false,
        strategy = kernel.strategy, reads = kernel.reads, writes = kernel.writes,
        is_ordered = false, -- whether block_barrier_all_memory orders what one thread loads before what another stores, in arrays that are included
        fallback = kernel.fallback, spin_limit = kernel.spin, withhold = kernel.withhold ~= 0 and kernel.withhold, descriptor = kernel.descriptor,
        blocks = kernel.resident_blocks or false, stages = kernel.resident_blocks and kernel.stages or false,
        stage_bytes = kernel.stage_bytes or false, ahead = kernel.ahead > 0 and kernel.ahead,
        fixed_order = kernel.fixed_order, has_long_loops = d.device.long_loops or false,
        lookback_depth = math.max(kernel.lookback, 1), aggregates_offset = kernel.aggregates_offset, descriptors_offset = kernel.descriptors_offset,
    }
    local functions, alignment = {}, {}
    -- Defines a function of an item and, where it has a parameter at `position`, the item's index; returns the text of its calls.
    function e.define(name, fn, position)
        if d.index == "u32" then fn = narrow_index(fn, position) end
        functions[#functions + 1] = printer.function_text(fn, name, d)
        return function(...)
            local arguments, index = { ... }, fn.params[position]
            if index and index.type.scalar ~= d.index then arguments[position] = d:apply("convert", "u64", d.index, { arguments[position] }) end
            return ("%s(%s)"):format(name, table.concat(arguments, ", ", 1, #fn.params))
        end
    end
    -- A name with a folder is a template's of every backend, one without the backend's own.
    function e.source(name)
        if name:find "/" then return file("templates/" .. name .. ".tpl", "optional") end
        return file(folder .. name .. ".tpl", "optional") or d.family and file(d.family .. name .. ".tpl", "optional")
    end
    function e.memory_codec(U)
        local codec = d:memory_codec(U, kernel.vector)
        alignment[U] = math.max(alignment[U] or 0, codec.align)
        return codec
    end
    -- What single items' addresses are multiples of: where memory is moved by 8 or 16 bytes, those that an item's size is a multiple of.
    function e.item_align(U)
        local align = d.moves_whole_items and math.max(U.align, math.min(16, U.size & -U.size)) or U.align
        alignment[U] = math.max(alignment[U] or 0, align)
        return align
    end
    function e.kernel() return d:kernel_head(kernel.entry, kernel.resident, kernel.template == "scan/lookahead") end
    function e.shared(U, name, count) return d:shared_memory(U, name, count) end -- count: of an array; nil: one value
    -- An array of uint that comes with the launch, `offset` words after the first such, where the kernel has more shared memory than a text may
    -- ask for.
    function e.launch_shared(name, count, offset)
        return kernel.dynamic_shared and d:dynamic_array(name, offset) or d:shared_memory("uint", name, count)
    end
    function e.buffer(name, element, alignment_bytes, is_global) return d:buffer_type(name, element, alignment_bytes, is_global) end
    function e.struct_value(name, fields) return d:struct_value(name, fields) end
    function e.as_index(name) return d.index == "u32" and name or ("%s(%s)"):format(e.Index, name) end -- of a uint
    function e.shared_add(place, operand) return d:update("shared", "add", place, operand) end
    function e.shared_max(place, operand) return d:update("shared", "max", place, operand) end
    function e.device_add(place, operand) return d:update("device", "add", place, operand) end

    -- A value of type U as texts of 32-bit words, and back.
    function e.words_of(U, x)
        local words = {}
        for i, leaf in ipairs(U.leaves) do
            for _, word in ipairs(d:to_words(leaf.scalar, d:leaf(U, x, i))) do words[#words + 1] = word end
        end
        return words
    end
    function e.from_words(U, words)
        local texts, at = {}, 1
        for i, leaf in ipairs(U.leaves) do
            local count = #d:to_words(leaf.scalar, "x")
            texts[i] = d:from_words(leaf.scalar, { words[at], count == 2 and words[at + 1] or nil })
            at = at + count
        end
        return d:build(U, texts)
    end
    -- The value x of type U through `pattern`, which takes what subgroups shuffle.
    function e.shuffled_value(U, x, pattern)
        local function through(expression) return clike.parse(pattern:format(expression.text)) end
        local function tree(V, expression)
            if d:can_shuffle(V) then return { move = through(expression) } end
            if V.kind == "scalar" then return { move = d:from_bits(V.scalar, through(d:to_bits(V.scalar, expression))) } end
            local parts = {}
            for i, part in ipairs(d:parts(V)) do parts[i] = tree(part.type, part.access(expression)) end
            return { build = V, parts = parts }
        end
        return printer.value_text(tree(U, clike.atom(x)), d, RETURN_COLUMNS)
    end
    return e, functions, alignment
end

-- What templates of an operation's kind may use beside: (op, kernel, d, e, functions) -> the types that they define. One file for kinds that share
-- templates.
local environments = { scan = file "gen/emit/fold.lua", reduce = file "gen/emit/fold.lua", sort = file "gen/emit/sort.lua",
    map = file "gen/emit/map.lua" }

local function emit(op, kernel, device, words_among)
    local d = file("backends/" .. kernel.backend .. "/dialect.lua")(device)
    d:reserve(TEMPLATE_NAMES)
    d:name_types { op.input, op.output, op.monoid and op.monoid.type or op.value or op.output } -- alike in every kernel of the operation
    local environment, functions, alignment = common_environment(op, kernel, d)
    local types = environments[op.kind](op, kernel, d, environment, functions)
    if kernel.has_posts and kernel.descriptor == "tagged" then d:use_wide_atomics() end

    -- The body first: it settles which helpers and extensions the head must have.
    environment.types = d:definitions(types)
    environment.functions = table.concat(functions, "\n")
    local body = template.lines(kernel.template, environment.source, environment)
    environment.helpers = d:helpers()
    environment.extensions = d:extensions(kernel.subgroup)
    local lines = template.lines("prelude", environment.source, environment)
    lines[#lines + 1] = ""
    table.move(body, 1, #body, #lines + 1, lines)
    local alignments = {}
    for i, buffer in ipairs(op.buffers) do alignments[i] = alignment[buffer.type] or buffer.type.align end
    return { text = d:finished(prune(lines, words_among)), features = d:features(), alignments = alignments }
end

return emit
