-- sort.lua - what templates of sorts are told. What is scanned are counts, of type T in a block and Count among blocks.

local file = ...
local printer = file "gen/emit/printer.lua"

local CHEAP_IMAGE_NODES = 40 -- of a key's image: made again where its digit is wanted, which takes fewer registers than digits that are kept
local LONG_MAP_NODES = 40 -- of a map of keys: copies of a longer one take the compiler too long
local WINDOWED <const> = { ["sort/top_histogram"] = true, ["sort/partition"] = true, ["sort/local_sort"] = true,
    ["sort/local_keys"] = true }
local SETTLES_TILE <const> = { ["sort/sort_block"] = true, ["sort/listed_groups"] = true, ["sort/sort_cluster"] = true }
local SCANS_PLACES <const> = { ["sort/digit_starts"] = true, ["sort/image_starts"] = true, ["sort/scan_bins"] = true }
local BATCH_BYTES = 128 -- of keys that a thread of a histogram reads together: enough to keep memory busy

-- How many groups of keys those are.
local function batch_of(op, kernel, is_map_long)
    if is_map_long then return 1 end
    local groups = kernel.items // kernel.vector
    local batch = math.min(groups, math.max(1, BATCH_BYTES // (kernel.vector * op.input.size)))
    while groups % batch ~= 0 do batch = batch - 1 end
    return batch
end

-- fn without the parameters that it does not use, and the numbers of those that it does.
local function without_unused(fn)
    local uses, place, kept, nodes = {}, {}, {}, {}
    for _, node in ipairs(fn.nodes) do
        if node.op == "input" and not node.is_uniform then uses[node.param] = true end
    end
    for k, param in ipairs(fn.params) do
        if uses[k] then
            kept[#kept + 1] = param
            place[k] = #kept
        end
    end
    for id, node in ipairs(fn.nodes) do
        local is_moved = node.op == "input" and not node.is_uniform
        nodes[id] = is_moved and setmetatable({ param = place[node.param] }, { __index = node }) or node
    end
    return setmetatable({ nodes = nodes, params = kept }, { __index = fn }), place
end

-- What maps make of a sorted item where it is stored: e.result(key, value, place) is the text; takes_key, takes_value: whether they need it.
local function define_result(op, e)
    local fn, place = without_unused(op.output_map)
    local value, index = op.value and 2 or 0, op.value and 3 or 2
    local make = e.define("map_result", fn, place[index] or 0)
    e.takes_key, e.takes_value = place[1] ~= nil, place[value] ~= nil
    function e.result(key, of_value, i)
        local arguments = {}
        for k, text in pairs { [1] = key, [value] = of_value, [index] = i } do
            if place[k] then arguments[place[k]] = text end
        end
        return make(table.unpack(arguments))
    end
end

return function(op, kernel, d, e, functions)
    local T = SCANS_PLACES[kernel.template] and kernel.index or kernel.word
    local image = op.key.image
    local image_text = printer.function_text(image, "key_image", d)
    e.key_is_image = image_text:find("\n{\n    return x;\n}", 1, true) ~= nil
    if not e.key_is_image then functions[#functions + 1] = image_text end
    e.op_map = op.map and true or false
    e.map = op.map and e.define("map_item", op.map, 2) or function(x) return x end
    e.is_map_long = op.map ~= nil and op.map.nodes ~= nil and #op.map.nodes > LONG_MAP_NODES -- nobody knows how long a source is
    e.batch = batch_of(op, kernel, e.is_map_long)
    e.T, e.element, e.carry, e.word = d:type_name(T), T, false, kernel.word
    e.count = kernel.count or kernel.word -- none: of the kernel that zeroes the scratch
    e.Count = d:type_name(e.count)
    e.ROWS = kernel.items // kernel.vector
    e.identity_text = "0u"
    e.key, e.Key, e.Image, e.image_words, e.key_bits = op.output, d:type_name(op.output), d:type_name(image.result), #image.result.leaves, op.key.bits
    e.value, e.Value, e.gives_index = op.value or false, op.value and d:type_name(op.value), op.gives_index
    if kernel.template == "sort/fill" or kernel.template == "sort/local_keys" then e.key_of_image = e.define("key_of_image", op.key.of_image, 0) end
    -- Of a tile that is sorted whole: places behind its items stay there, by the greatest digit; it has as many rows as its items ask for. llvmpipe
    -- loses threads that leave out rounds of such loops.
    e.spares_last = SETTLES_TILE[kernel.template] or false
    e.rows_vary = e.spares_last and e.has_long_loops
    e.takes_rows, e.of_rows = e.rows_vary and ", uint rows" or "", e.rows_vary and ", rows" or ""
    e.for_rows = not e.rows_vary and "UNROLL for (uint row = 0u; row < ROWS; row++) "
        or "UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows)\n"
        .. "    UNROLL for (uint row = first; row < first + RANK_ROWS; row++) "
    e.keeps_digits = kernel.strategy == "split" or kernel.template == "sort/sort_cluster" or #image.nodes > CHEAP_IMAGE_NODES
    e.digit_bits = kernel.digit_bits
    e.exchange_size = (e.exchange_words or 0) > 1 and ("TILE * %du"):format(e.exchange_words) or "TILE"
    -- Threads take consecutive bins. With one a thread there is no loop over them and no array; with as many threads as bins each has one.
    local bins = 1 << kernel.digit_bits
    e.one_bin_each = bins <= kernel.block
    e.for_bins = e.one_bin_each and "" or "UNROLL for (uint b = 0u; b < THREAD_BINS; b++) "
    e.bins_loop = not e.one_bin_each and e.for_bins .. "{\n    const uint bin = thread_id() * THREAD_BINS + b;"
    e.of_bin, e.bins_each = e.one_bin_each and "" or "[b]", e.one_bin_each and "" or "[THREAD_BINS]"
    e.is_bin = bins % kernel.block ~= 0 and "bin < BINS"
    e.if_bin = e.is_bin and "if (bin < BINS) " or ""
    e.is_hybrid = kernel.strategy == "msd_hybrid"
    e.joins_passes = e.joins_passes == 1 -- a launch has all passes
    e.pass_numbers = e.is_hybrid and "ALONE" or "IN_PLACE" -- what a pass's number in the argument is less than
    e.skips_passes = kernel.strategy == "onesweep" or e.is_hybrid
    e.is_partition_pass = e.partitions == 1 -- a pass of Onesweep that partitions the keys, in a stable way
    -- One that may have nothing to do: blocks of the next launch, which then has, would crowd where its first ones have ended (bench/NOTES.md).
    e.lets_next_begin = e.begins_early and (e.is_partition_pass or kernel.template == "sort/partition")
    e.prefetches = e.begins_early -- what a block will load is asked for before: by CUDA from sm_90 on, where it was timed
    e.has_window = e.is_partition_pass or WINDOWED[kernel.template] or false -- digits of it begin at any bit
    e.pass_tile = e.pass_tile or false -- items of a pass's tile, in a kernel whose own has another number
    e.has_temporary = e.skips_passes and kernel.is_stage -- keys and values on their way lie where other stages have theirs
    e.can_ping_pong = e.skips_passes and not op.map and not op.gives_index and not op.output_map and not kernel.is_stage
    e.spares = ("spares_of(params.scratch, %s%s)"):format(e.has_temporary and "params.temporary, " or "", e.launch_n)
    e.takes_key, e.takes_value = false, false
    if op.output_map then define_result(op, e) end
    e.may_lack_keys = op.value or op.output_map ~= nil -- whether keys are sorted that are no output
    e.lookback_lanes = 1
    e.has_bool_bits = d.index == "u64" -- C's | and & take conditions: no branch, where a compiler would take one for || and &&
    for i, buffer in ipairs(op.buffers) do e[buffer.name .. "_index"] = i - 1 end
    local same = {}
    for i, buffer in ipairs(op.buffers) do
        if buffer.is_output and e.values_index then same[#same + 1] = ("params.buffers[%d] == params.buffers[%d]"):format(i - 1, e.values_index) end
    end
    e.is_value_output = table.concat(same, " || ") -- whether values are in an output's place
    function e.index_value(i) return d:apply("convert", op.value.scalar, d.index, { i }) end
    function e.join(a, b) return ("%s + %s"):format(a, b) end
    function e.shuffled(x, pattern) return e.shuffled_value(T, x, pattern) end
    return { op.input, op.output, op.value or op.output, image.result, op.output_map and op.output_map.result }
end
