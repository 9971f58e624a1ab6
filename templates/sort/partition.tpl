$ -- A partition pass of an MSD hybrid sort of keys alone, whose image is all there is of them: equal keys may change places. First by the window's upper
$ -- digit, if it has two, then within each of its parts by the lower one. A block counts a tile's digits, takes room for each digit's keys by one addition, puts the
$ -- keys in order of their digits in shared memory and stores them. Where a bucket turns out to be too large, the same launches count and scan digits.
$ assert(strategy == "msd_hybrid" and keys_are_images == 1 and pass_tile)
$ include "parts/operators"

$ include "sort/digits"

$ include "parts/counters"

$ include "sort/digit_table"

$ include "sort/bucket_table"

$ include "sort/bucket_rooms"

$ include "parts/subgroup"

$ include("parts/block", {turns = 1})

$ include "sort/thread_scan"

$ local digit_words = key_stages and "stage_words" or "moved_words"
$ if not key_stages then
$ include("sort/exchange", {exchange_size = counter_words .. "u"})

$ end
$ include "sort/tile_items"

$ include "sort/route"

$ include "sort/item_ranks"

$ local Groups = op_map and "InGroups" or "In" -- a map's input is read one by one, too
$ local codec = memory_codec(input)
$ local one_by_one = codec.words and codec.words ~= codec.group_words -- an item is less than a word, and all that may be read are words
$ if not one_by_one then
$ include("memory", {array = Groups, group = "Inputs", type = input, reads = true, writes = false})

$ end
const uint GROUPS = ROWS; // of an item, of a thread and tile
const uint BATCH = $(ROWS % 4 == 0 and 4 or ROWS % 3 == 0 and 3 or 1)u; // groups that a thread reads together
$ if key_stages then
$ include "sort/staged_keys"

$ end
$ include("sort/digit_counts", {digit_words = digit_words})

$ if not one_bin_each then
const uint THREAD_BINS = (BINS + BLOCK - 1u) / BLOCK; // consecutive ones of a thread

$ end
$ if key_stages then
$(shared("uint", "bin_counts", "BINS")) // of the tile's keys
$(shared("uint", "bin_starts", "BINS")) // where they begin in it
$(shared("uint", "bins_of_part")) // not kept in registers while keys are
$ else
$(shared("uint", "bin_counts", "BINS")) // of the tile's keys; then where they begin in it
$ end
$(shared("uint", "bin_places", "BINS")) // where a bin's keys go, less their rank
$ if not key_stages then
$(shared("uint", "part_tiles", "BINS + 1u")) // second pass: the tiles before those of a part
$(shared("uint", "tile_part"))
$(shared("uint", "tile_items")) // of a tile, at most; not kept in registers while keys are
$ end
$(shared("uint", "has_one_bin"))

// Keys of a tile: as many as fit, or fewer, so that the last round of blocks' tiles has about as many as the others.
uint even_tile_items(uint part_items, uint parts)
{
    const uint most = parts > 1u ? part_items + part_items / 64u : part_items; // parts differ a little
    const uint least_tiles = most / TILE + 1u; // of a part
    const uint rounds = (parts * least_tiles + block_count() - 1u) / block_count();
    return min(most / (rounds * block_count() / parts) / 32u * 32u + 32u, TILE); // whole lines of memory
}

$(kernel("sort_partition"))
{
$ include "parts/begin"
    const $(Index) n = element_count(params.n, params.n_address);
    if (is_skewed_by_sample(params.scratch)$(may_lack_keys and "" or (" || !is_given(params.buffers[%d])"):format(keys_out_index))) return;
    if (!has_room(params.scratch, pass_tile_count($(launch_n)), params.argument >= PING_PONG)) return;
    const bool is_second = params.argument % $(pass_numbers) > 0u;
    Starts starts = Starts(address_at(params.scratch, STARTS_OFFSET));
    // Where a bucket is too large the passes that follow sort the keys, digit by digit.
    const bool is_in_vain = !is_partitioned(params.scratch, n, params.argument);
$ enclosed("if (is_in_vain && is_second) {", function()
$ include "sort/scanned_digits"
$ end)
$ enclosed("if (is_in_vain && !is_second) {", function()
$ if not one_by_one then
    $(Groups) in_items = $(Groups)(params.buffers[0]);
    const bool is_aligned = is_vector_aligned(params.buffers[0]);
$ end
    const $(Index) tiles = (n + (TILE - 1u)) / TILE;
$ local items = op_map and "load_input(In(params.buffers[0]), %s)" or "load_key(Keys(params.buffers[0]), %s)"
$ include("sort/counted_digits", {digit_words = digit_words, by_item = one_by_one and items or false, in_turn = true})
$ end)
    const uint window_bits = window_bits_of(n);
    const bool is_alone = is_one_digit(window_bits);
    if (is_in_vain || (is_alone && !is_second)) return;
$ if lets_next_begin then
    let_next_launch_begin();
$ end
$ if may_lack_keys then
    const Spares spares = $(spares);
    const $(Address) between = spares.keys;
    const $(Address) after = is_given(params.buffers[$(keys_out_index)]) ? params.buffers[$(keys_out_index)] : spares.more_keys;
$ else
    const $(Address) between = $(can_ping_pong and ("params.argument >= PING_PONG ? params.buffers[%d] : "):format(keys_out_index) or "")$(spares).keys;
    const $(Address) after = $(can_ping_pong and "params.argument >= PING_PONG ? params.buffers[0] : " or "")params.buffers[$(keys_out_index)];
$ end
    const bool is_last = is_second && !is_alone; // of two
    const $(Address) keys_from = is_last ? between : params.buffers[0];
    const $(Address) keys_to = is_last ? after : between;
    const uint parts = half_bins(window_bits, 1u);
    const uint bins = half_bins(window_bits, 0u); // of a part
    const Digit digit = half_of_window(window_bits, window_end(params.scratch), is_second ? 0u : 1u);
$ if not key_stages then
    Rooms rooms = Rooms(address_at(params.scratch, is_second ? BUCKET_ROOMS_OFFSET : PART_ROOMS_OFFSET));
$ end
    const uint first_part = (PASSES + 1u) * BINS; // among the starts
$ if key_stages then
    const uint bin = thread_id();
    if (bin < BINS) { // the first pass's tiles are of one part
        part_starts[bin] = is_second && bin < parts ? uint(starts.at[first_part + bin]) : bin == 0u ? 0u : uint(n);
        bin_counts[bin] = 0u;
    }
    if (bin == 0u) {
        part_starts[BINS] = uint(n);
        bins_of_part = bins;
        tile_items = even_tile_items(uint(n) / (is_second ? parts : 1u), is_second ? parts : 1u);
    }
    block_barrier();
    const uint part_keys = bin < BINS ? part_starts[bin + 1u] - part_starts[bin] : 0u;
    const uint part_count = (part_keys + tile_items - 1u) / tile_items;
    const uint before = thread_scan(part_count);
    if (bin < BINS) part_tiles[bin] = before;
    if (bin == BINS - 1u) part_tiles[BINS] = before + part_count;
    begin_stages();
    // The block's tiles are asked for by one text, which compilers take long for: first as many as there are stages.
    for (uint asked = 0u;; asked++) {
        fill_with_tile(asked % STAGES, keys_from, block_id() + asked * block_count());
        if (asked + 1u < STAGES) continue;
        const uint round = asked + 1u - STAGES, stage = round % STAGES;
        if (block_id() + round * block_count() >= part_tiles[BINS]) break;
        wait_for_signal(COME + stage, round / STAGES);
        const uint part = stage_parts[stage];
        const uint items = stage_items[stage];
        const uint coming = stage_firsts[stage], placed = stage * STAGE_BYTES; // places of the first key as it comes, and then in order
$ else
    if (thread_id() == 0u) tile_items = even_tile_items(uint(n) / (is_second ? parts : 1u), is_second ? parts : 1u);
    block_barrier();
    uint tiles = (uint(n) + tile_items - 1u) / tile_items;
$ if one_bin_each then
    const uint bin = thread_id();
$ end
    if (is_second) { // a tile has keys of one part
$ if not one_bin_each then
        uint part_count[THREAD_BINS];
        uint sum = 0u;
$ end
$ enclosed(bins_loop, function()
        $(one_bin_each and "uint part_count" or "part_count[b]") = 0u;
        if (bin < parts) {
            const uint end = bin == parts - 1u ? uint(n) : uint(starts.at[first_part + bin + 1u]);
            part_count$(of_bin) = (end - uint(starts.at[first_part + bin]) + tile_items - 1u) / tile_items;
        }
$ if not one_bin_each then
        sum += part_count[b];
$ end
$ end)
        uint before = thread_scan($(one_bin_each and "part_count" or "sum"));
$ enclosed(bins_loop, function()
$ enclosed(is_bin and "if (bin < BINS) {", function()
        part_tiles[bin] = before;
        before += part_count$(of_bin);
        if (bin == BINS - 1u) part_tiles[BINS] = before;
$ end)
$ end)
        block_barrier();
        tiles = part_tiles[BINS];
    }

    for (uint tile = block_id(); tile < tiles; tile += block_count()) {
        if (thread_id() == 0u) tile_part = 0u;
        block_barrier();
$ enclosed(bins_loop, function()
$ enclosed(is_bin and "if (bin < BINS) {", function()
        bin_counts[bin] = 0u;
        if (is_second && part_tiles[bin] <= tile && tile < part_tiles[bin + 1u]) tile_part = bin;
$ end)
$ end)
        block_barrier();
        const uint part = tile_part;
        uint start = tile * tile_items;
        uint end = uint(n);
        if (is_second) {
            start = uint(starts.at[first_part + part]) + (tile - part_tiles[part]) * tile_items;
            if (part < parts - 1u) end = uint(starts.at[first_part + part + 1u]);
        }
        const uint items = min(end - start, tile_items);
$ end
        $(Key) keys[ROWS];
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint place = row * BLOCK + thread_id();
$ if key_stages then
            if (place < items) keys[row] = load_from_stage(coming, place);
$ else
            if (place < items) keys[row] = $(op_map and "mapped_key_at(keys_from, !is_last, " or "key_at(keys_from, ")start, place);
$ end
        }
        ItemRanks ranks; // among those of their digit that have been counted
        UNROLL for (uint pair = 0u; pair < (ROWS + 1u) / 2u; pair++) ranks.pairs[pair] = 0u;
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            if (row * BLOCK + thread_id() < items) {
                ranks.pairs[row / 2u] |= $(shared_add("bin_counts[digit_of(keys[row], digit)]", "1u")) << (row % 2u * 16u);
            }
        }
$ if key_stages then
        block_barrier(); // the stage's keys have been read, too
        uint bin_place = 0u;
        if (subgroup_id() * LANES < BINS) { // each of these subgroups scans by itself
            const uint count = bin < BINS ? bin_counts[bin] : 0u;
            Rooms rooms = Rooms(address_at(params.scratch, is_second ? BUCKET_ROOMS_OFFSET : PART_ROOMS_OFFSET));
            if (count != 0u) bin_place = $(device_add("rooms.at[part * bins_of_part + (is_second ? bin : bin * ROOM_WORDS)]", "count"));
$ if 1 << digit_bits > LANES then
            uint others = 0u; // counts of earlier subgroups' bins
            UNROLL for (uint earlier = 0u; earlier < BINS / LANES - 1u; earlier++) {
                if (earlier < subgroup_id()) others += bin_counts[earlier * LANES + lane_id()];
            }
            const uint bin_start = shuffle(subgroup_scan(others), LANES - 1u) + subgroup_shift(subgroup_scan(count));
$ else
            const uint bin_start = subgroup_shift(subgroup_scan(count));
$ end
            if (bin < BINS) bin_starts[bin] = bin_start;
            bin_place -= bin_start;
        }
        block_barrier();
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            if (row * BLOCK + thread_id() < items) {
                store_to_stage(placed, bin_starts[digit_of(keys[row], digit)] + item_rank(ranks, row), keys[row]);
            }
        }
        if (bin < BINS) {
            bin_places[bin] = bin_place;
            bin_counts[bin] = 0u;
        }
$ else
        block_barrier();
$ if not one_bin_each then
        uint count[THREAD_BINS];
        uint sum = 0u;
$ end
$ enclosed(bins_loop, function()
        $(one_bin_each and "const uint count" or "count[b]") = $(is_bin and is_bin .. " ? bin_counts[bin] : 0u" or "bin_counts[bin]");
$ if not one_bin_each then
        sum += count[b];
$ end
$ end)
        uint bin_start = thread_scan($(one_bin_each and "count" or "sum"));
$ enclosed(bins_loop, function()
$ enclosed(is_bin and "if (bin < BINS) {", function()
        const uint room = is_second ? part * bins + bin : bin * ROOM_WORDS;
        bin_counts[bin] = bin_start;
        if (count$(of_bin) != 0u) bin_places[bin] = $(device_add("rooms.at[room]", "count" .. of_bin)) - bin_start;
        bin_start += count$(of_bin);
$ end)
$ end)
        block_barrier();
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            if (row * BLOCK + thread_id() < items) store_exchanged_key(bin_counts[digit_of(keys[row], digit)] + item_rank(ranks, row), keys[row]);
        }
$ end
        block_barrier();
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint rank = row * BLOCK + thread_id();
            if (rank < items) {
                const $(Key) key = $(key_stages and "load_from_stage(placed, " or "load_exchanged_key(")rank);
                store_key(Keys(keys_to), bin_places[digit_of(key, digit)] + rank, key);
            }
        }
$ if key_stages then
        block_barrier();
$ end
    }
}
