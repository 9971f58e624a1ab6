-- emit.lua - a planned kernel as text: fills a template's environment from the operation, the geometry and a dialect.
--
-- emit(op, kernel, device, words_among) -> { text =, features = {int64 = true, ..}, alignments = {bytes of each buffer's address} }
--   op      { name, title, kind, buffers = {{ name =, type = T, is_single, is_output, is_total, place = name of a field|nil,
--           is_scattered, length = number|nil, given = text|nil: where a uniform says the length, is_uniform, first_leaf,
--           parts = { leaf of s, or 0, .. }: what a scan's output has of it }, ..}, input = T,
--           uniforms = T|nil,
--           output = T, map = fn|nil, near = T|nil, has_input_fields, has_output_fields, is_wide }, and of a scan, sweep or reduction: reverse,
--           exclusive,
--           monoid = { name, type, identity = {bits}, combine = fn, commutative }, init = {bits}|nil, output_map = fn|nil, carry = T|nil,
--           from_carry, to_carry, totals, item, reach, recount, merged = fn|nil; of a sort: key = { image = fn, of_image = fn|nil, bits },
--           value = T|nil, gives_index
--   kernel  { backend, entry, template, strategy, reads, writes, provenance, .. }, constants = { name = number, .. }: what the planner tells
--           the template, and the knobs by name (gen/choices.h)
--   device  { int8 = bool, .. }: features that the dialect may use
--   words_among(text, table) -> the table's values for words of the text (gen/emit/emit.c)

local file = ...
local template = file "gen/emit/template.lua"
local printer = file "gen/emit/printer.lua"
local prune = file "gen/emit/prune.lua"
local narrow_index = file "gen/emit/narrow_index.lua"
local clike = file "gen/emit/clike.lua"
local uniforms = file "gen/emit/uniforms.lua"

local RETURN_COLUMNS = #"    return "

-- Names of the texts' own, which a user's struct or parameter does not take: those that templates define at file level, found when they are embedded
-- (cmake/embed.cmake), and these, which are spliced together there or come with the operation.
local TEMPLATE_NAMES = {
    "numbers", "nothing", "tally_item", "add_tallies", "state_of_tallies", "shuffle_states", "shuffle_up_states", "subgroup_scan_states",
    "subgroup_scan_of_states", "subgroup_shift_states", "exchange_states", "load_exchanged_key", "load_exchanged_place", "load_exchanged_value",
    "store_exchanged_key", "store_exchanged_place", "store_exchanged_value", "state_of_carry", "carry_of_state", "totals_of", "totals", "NOWHERE",
    "combine", "key_image", "key_of_image", "main", "map_item", "output_item", "item_of", "reach", "recount_item", "with_counts", "params", "signals",
    "next_places", "map_result", uniforms.argument,
}
local function set_of(words)
    local set = {}
    for word in words:gmatch "%S+" do set[word] = true end
    return set
end
-- And these, of an array and its items; there may be several of each, which are numbered.
local ARRAYS = set_of("In Out Carry Carries Keys Values Offsets Neighbours Sources Staged CountsAt UniformsAt StatesAt Alone Inputs Outputs Elements "
    .. "States Results")
local ITEMS = set_of("input inputs output outputs element elements carries key value offset neighbour source staged number uniforms states alone "
    .. "result")
local NUMBERED = set_of "group array packed outputs low high to item_of_index IN_ OUT_"
local SPLICED = {
    ["^(%u%a-)%d?$"] = ARRAYS, ["^(%u%a-)%d?Item$"] = ARRAYS, ["^(%u%a-)%d?Words$"] = ARRAYS, ["^([%a_]+)%d$"] = NUMBERED,
    ["^load_(%l+)%d?$"] = ITEMS, ["^load_first_(%l+)%d?$"] = ITEMS, ["^load_full_(%l+)%d?$"] = ITEMS, ["^leave_(%l+)%d?$"] = ITEMS,
    ["^store_(%l+)%d?$"] = ITEMS, ["^store_first_(%l+)%d?$"] = ITEMS, ["^store_full_(%l+)%d?$"] = ITEMS, ["^store_(%l+)%d?_item$"] = ITEMS,
}
local function is_spliced(name)
    for pattern, set in pairs(SPLICED) do
        if set[name:match(pattern)] then return true end
    end
    return false
end
for name in file("gen/emit/template_names.txt"):gmatch "%S+" do TEMPLATE_NAMES[#TEMPLATE_NAMES + 1] = name end

-- "in: u8[n], 4-byte aligned; .."
local function buffers_text(op)
    local texts = {}
    for i, buffer in ipairs(op.buffers) do
        local length = buffer.is_single and "" or ("[%s]"):format(buffer.length or buffer.given or "n")
        texts[i] = ("%s: %s%s, %d-byte aligned"):format(buffer.name, buffer.type.name, length, math.max(buffer.type.align, 4))
    end
    return table.concat(texts, "; ")
end

-- What every template may use. `functions`: texts of the spec's functions, to which define adds.
local function common_environment(op, kernel, d)
    local folder = "backends/" .. kernel.backend .. "/"
    local lanes = kernel.subgroup == 1 and kernel.block or kernel.subgroup
    local e = {
        assert = assert, ipairs = ipairs, pairs = pairs, math = math, table = table,
        title = ("%s: %s"):format(op.name, op.title), provenance = kernel.provenance, buffers_text = buffers_text(op),
        launch_n = d.index == "u32" and "params.n.x" or "params.n", -- n, or the bound of a device-side n, as it was launched
        Index = d:scalar_name(d.index), Address = d.address, input = op.input, output = op.output,
        BLOCK = kernel.block, SUBGROUP = kernel.subgroup, LANES = lanes, SUBGROUPS = kernel.block // lanes,
        ITEMS = kernel.items, VECTOR = kernel.vector,
        strategy = kernel.strategy, reads = kernel.reads, writes = kernel.writes,
        is_generic = false, -- whether the compiler is left to find out what memory an array is in (items.tpl)
        is_shared = false, -- whether several items may be stored to one place at once (items.tpl)
        is_ordered = false, -- whether block_barrier_all_memory orders what one thread loads before what another stores, in arrays that are included
        fallback = kernel.fallback, spin_limit = kernel.spin, withhold = kernel.withhold ~= 0 and kernel.withhold, descriptor = kernel.descriptor,
        ahead = kernel.ahead > 0 and kernel.ahead, has_long_loops = d.device.long_loops or false, lookback_depth = math.max(kernel.lookback, 1),
        stages = false, only_comes = false, key_stages = false, sides = false, earlier_tile = false, counting = false, leaves_states = false,
        takes_states = false,
        joins_passes = false, lets_next_begin = false,
        part_items = false, most_parts = false, chunk_items = false, writes_parts = false, stores = true, -- unless the planner tells
        balanced = false, by_groups = false, narrow = false, -- unless it is a fold that is
        parks = false, tallies = false, of = "", nothing = "identity()", has_votes = true, -- of a fold's tiles others may hold, see gen/emit/fold.lua
        of_tile = function(names) return names end,
        is_wide = op.is_wide, Place = d:scalar_name(op.is_wide and "u64" or "u32"), -- of counters and places
        nowhere = op.is_wide and "~" .. d:scalar_name "u64" .. "(0)" or "0xffffffffu",
        segments = false, empty = false, -- unless it is a fold of segments by offsets
        has_posts = kernel.has_posts, begins_early = kernel.begins_early,
        has_temporary = false, -- whether what the launches of a pipeline's stage tell each other lies in two parts of the scratch
    }
    for name, value in pairs(kernel.constants) do
        assert(not e[name], name)
        e[name] = value
    end
    local functions, alignment, own = {}, {}, {}
    -- Defines a function of an item and, where it has a parameter at `position`, the item's index; returns the text of its calls.
    function e.define(name, fn, position)
        fn = uniforms.bound(d.index == "u32" and narrow_index(fn, position) or fn, op)
        own[name] = true
        functions[#functions + 1] = printer.function_text(fn, name, d)
        return function(...)
            local arguments, index = { ... }, fn.params[position]
            if fn.takes_uniforms then
                if index and position == #fn.params then index = nil end
                arguments[#fn.params] = uniforms.argument
            end
            if index and index.type.scalar ~= d.index then arguments[position] = d:apply("convert", "u64", d.index, { arguments[position] }) end
            local taken = {}
            for k, param in ipairs(fn.params) do taken[#taken + 1] = #param.type.leaves > 0 and arguments[k] or nil end
            return ("%s(%s)"):format(name, table.concat(taken, ", "))
        end
    end
    -- A name with a folder is a template's of every backend, one without the backend's own.
    function e.source(name)
        if name:find "/" then return file("templates/" .. name .. ".tpl", "optional") end
        return file(folder .. name .. ".tpl", "optional") or d.family and file(d.family .. name .. ".tpl", "optional")
    end
    -- Of groups of `count` items, VECTOR where none is given.
    function e.memory_codec(U, count)
        local codec = d:memory_codec(U, count or kernel.vector)
        alignment[U] = math.max(alignment[U] or 0, codec.align)
        return codec
    end
    -- What single items' addresses are multiples of: where memory is moved by 8 or 16 bytes, those that an item's size is a multiple of.
    function e.item_align(U)
        local align = d.moves_whole_items and math.max(U.align, math.min(16, U.size & -U.size)) or U.align
        alignment[U] = math.max(alignment[U] or 0, align)
        return align
    end
    function e.type_name(U) return d:type_name(U) end
    function e.field_name(name) return d:field_name(name) end
    function e.construct(U, list) return d:construct(U, list) end
    local stages_arrays = kernel.template == "scan/lookahead" and (op.has_input_fields or op.has_output_fields or op.near)
    -- What templates/parts/arrays.tpl and those that use it are told of the inputs, the outputs or the totals: buffers that belongs(buffer).
    local function arrays(array, group, name, U, is_output, is_record, belongs)
        local fields, addresses, aligned, given, has_length, has_tails = {}, {}, {}, {}, false, false
        for i, buffer in ipairs(op.buffers) do
            if belongs(buffer) then
                local address = ("params.buffers[%d]"):format(i - 1)
                fields[#fields + 1], addresses[#addresses + 1] = buffer, address
                given[#given + 1] = ("is_given(%s)"):format(address)
                has_tails = has_tails or buffer.has_tails
                has_length = has_length or buffer.is_scattered and not buffer.length and not buffer.given
                local moves_alone = buffer.place or buffer.is_scattered or buffer.has_offsets
                if not moves_alone then aligned[#aligned + 1] = ("is_vector_aligned(%s)"):format(address) end
            end
        end
        local has_fields = is_record or ((op.near or op.item) and not is_output) or (stages_arrays and (not is_output or op.output == U)) or false
        if has_length then addresses[#addresses + 1] = "n" end
        if op.count_segments and not is_output and not fields[1].is_uniform and not stages_arrays then addresses[#addresses + 1] = "0u" end
        return { array = array, group = group, name = name, type = U, reads = not is_output, writes = is_output, is_record = is_record,
            fields = has_fields and fields, is_single = is_output and op.item ~= nil,
            value = has_fields and d:struct_value(array, table.concat(addresses, ", ")) or ("%s(%s)"):format(array, addresses[1]),
            have_tails = has_tails, have_places = #aligned == 0, -- all of them
            are_aligned = #aligned > 0 and table.concat(aligned, " && ") or "true",
            is_given = #given == 1 and given[1] or "(" .. table.concat(given, " || ") .. ")" }
    end
    e.inputs = arrays("In", "Inputs", "input", op.input, false, op.has_input_fields,
        function(buffer) return not buffer.is_output and not buffer.is_uniform end)
    e.outputs = arrays("Out", "Outputs", "output", op.output, true, op.has_output_fields,
        function(buffer) return buffer.is_output and not buffer.is_total end)
    e.totals = op.totals ~= nil and arrays("CountsAt", "CountsAt", "number", op.totals.result, true, true,
        function(buffer) return buffer.is_total end)
    if e.totals then e.totals.is_single = true end
    e.results = false -- of a sort: what is stored that is made of its own outputs
    if op.key and op.output_map then
        local function is_result(buffer) return buffer.is_result end
        local count = 0
        for _, buffer in ipairs(op.buffers) do count = count + (buffer.is_result and 1 or 0) end
        e.results = arrays("Results", "ResultGroup", "result", op.output_map.result, true, count > 1, is_result)
        e.results.is_single = true
        e.results.is_generic = true -- nor where two stores of a pass, of values and of what is made of them, are to converted addresses
    end
    if op.uniforms then
        e.uniforms = arrays("UniformsAt", "UniformsAt", "uniforms", op.uniforms, false, true, function(buffer) return buffer.is_uniform end)
        -- NVVM 13.0 does not come to an end over a struct of what is read from a converted address, in kernels that wait.
        e.uniforms.is_single, e.uniforms.near, e.uniforms.is_generic = true, false, true
    end
    e.near = op.near or false
    -- Whether the operation reads arrays; what functions of templates take of them, and are handed; and what is near item `v` of a group, the array's
    -- item `i`: texts.
    e.has_inputs = #op.input.leaves > 0
    e.takes_inputs = e.has_inputs and "In in_items, bool is_aligned, " or ""
    function e.hands_inputs(is_aligned) return e.has_inputs and ("in_items, %s, "):format(is_aligned) or "" end
    function e.near_text(v, i) return e.has_inputs and ("nears.at[%s]"):format(v) or ("near_of(%s, n)"):format(i) end
    if op.near and e.has_inputs then
        local zeros = {}
        for i in ipairs(op.input.leaves) do zeros[i] = 0 end
        e.inputs.zero = printer.value_text(printer.constant_tree(op.input, zeros, d), d, RETURN_COLUMNS)
    end
    function e.kernel() return d:kernel_head(kernel.entry, kernel.resident, kernel.constants.helpers or 0, kernel.constants.cluster) end
    function e.shared(U, name, count) return d:shared_memory(U, name, count) end -- count: of an array; nil: one value
    function e.shared_groups(U, name, count) return d:shared_memory(U, name, count, true) end -- an array of groups
    -- An array of uint that comes with the launch, `offset` words after the array `first` where one is named, if the kernel has more shared memory
    -- than a text may ask for. is_aligned: to 16 bytes; of what comes with
    -- the launch the offset must then be a multiple of 4.
    function e.launch_shared(name, count, first, offset, is_aligned)
        return kernel.dynamic_shared and d:dynamic_array(name, first, offset) or d:shared_memory("uint", name, count, is_aligned)
    end
    function e.buffer(name, element, alignment_bytes, is_global) return d:buffer_type(name, element, alignment_bytes, is_global) end
    function e.struct_value(name, fields) return d:struct_value(name, fields) end
    function e.to_index(text) return d.index == "u64" and text or d:apply("convert", d.index, "u64", { text }) end -- of a u64
    function e.as_index(name) return d.index == "u32" and name or ("%s(%s)"):format(e.Index, name) end -- of a uint
    function e.shifted_pair(...) return d.shifted_pair(...) end
    function e.shared_add(place, operand) return d:update("shared", "add", place, operand) end
    function e.shared_max(place, operand) return d:update("shared", "max", place, operand) end
    function e.device_max(place, operand) return d:update("device", "max", place, operand) end
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
    return e, functions, alignment, own
end

-- What templates of an operation's kind may use beside: (op, kernel, d, e, functions) -> the types that they define. One file for kinds that share
-- templates, loaded when the first kernel asks for it.
local ENVIRONMENTS <const> = { scan = "fold", reduce = "fold", sweep = "fold", sort = "sort", map = "map" }
local environments = {}

local function emit(op, kernel, device, words_among)
    local d = file("backends/" .. kernel.backend .. "/dialect.lua")(device)
    if (kernel.template == "scan/lookahead" or kernel.packs ~= 0) and op.output_map and op.has_output_fields then
        local output_map = file "gen/emit/keeps.lua"(op.output_map, op.buffers)
        op = setmetatable({ output_map = output_map, output = output_map.result }, { __index = op })
    end
    d:reserve(TEMPLATE_NAMES, is_spliced)
    -- Alike in every kernel of the operation.
    d:name_types { op.input, op.output, op.monoid and op.monoid.type or op.value or op.output, op.near or op.output,
        op.totals and op.totals.result or op.output, op.uniforms or op.output, op.key and op.output_map and op.output_map.result or op.output }
    local environment, functions, alignment, own = common_environment(op, kernel, d)
    environments[op.kind] = environments[op.kind] or file("gen/emit/" .. ENVIRONMENTS[op.kind] .. ".lua")
    local types = environments[op.kind](op, kernel, d, environment, functions)
    environment.P = environment.P or environment.T
    if kernel.takes_room or kernel.has_posts and kernel.descriptor == "tagged" then d:use_wide_atomics() end

    -- The body first: it settles which helpers and extensions the head must have.
    types[#types + 1] = op.uniforms
    environment.types = d:definitions(types)
    if op.uniforms then
        local reading = template.lines("parts/arrays", environment.source, setmetatable(environment.uniforms, { __index = environment }))
        functions[#functions + 1] = table.concat(reading, "\n")
    end
    environment.functions = table.concat(functions, "\n")
    local body = template.lines(kernel.template, environment.source, environment)
    if op.uniforms then
        local value = ("load_%s(%s, 0u)"):format(environment.uniforms.name, environment.uniforms.value)
        body = uniforms.hand_on(body, words_among, d:type_name(op.uniforms), value, own)
    end
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
