-- sort.lua - what templates of sorts are told. What is scanned are counts, of type T in a block and Count among blocks.

local file = ...
local printer = file "gen/emit/printer.lua"

local CHEAP_IMAGE_NODES = 40 -- of a key's image: made again where its digit is wanted, which takes fewer registers than digits that are kept
local LONG_MAP_NODES = 40 -- of a map of keys: copies of a longer one take the compiler too long
local BATCH_BYTES = 128 -- of keys that a thread of a histogram reads together: enough to keep memory busy

-- How many groups of keys those are.
local function batch_of(op, kernel, is_map_long)
    if is_map_long then return 1 end
    local groups = kernel.items // kernel.vector
    local batch = math.min(groups, math.max(1, BATCH_BYTES // (kernel.vector * op.input.size)))
    while groups % batch ~= 0 do batch = batch - 1 end
    return batch
end

return function(op, kernel, d, e, functions)
    local T = (kernel.template == "sort/digit_starts" or kernel.template == "sort/scan_bins") and kernel.index or kernel.word
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
    e.keeps_digits = kernel.strategy == "split" or #image.nodes > CHEAP_IMAGE_NODES
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
    e.pass_numbers = e.is_hybrid and "ALONE" or "IN_PLACE" -- what a pass's number in the argument is less than
    e.skips_passes = kernel.strategy == "onesweep" or e.is_hybrid
    e.is_partition_pass = e.partitions == 1 -- a pass of Onesweep that partitions the keys, in a stable way
    e.pass_tile = e.pass_tile or false -- items of a pass's tile, in a kernel whose own has another number
    e.can_ping_pong = e.skips_passes and not op.map and not op.gives_index
    e.lookback_lanes = 1
    e.has_bool_bits = d.index == "u64" -- C's | and & take conditions: no branch, where a compiler would take one for || and &&
    for i, buffer in ipairs(op.buffers) do e[buffer.name .. "_index"] = i - 1 end
    function e.index_value(i) return d:apply("convert", op.value.scalar, d.index, { i }) end
    function e.join(a, b) return ("%s + %s"):format(a, b) end
    function e.shuffled(x, pattern) return e.shuffled_value(T, x, pattern) end
    return { op.input, op.output, op.value or op.output, image.result }
end
