$ -- One pass of Onesweep: a block takes a tile, counts its digits, posts the counts, ranks the tile's items, looks back for what the tiles
$ -- before it have of every digit, and moves the items to their places.
$ -- Source: Adinets & Merrill 2022, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs".
$ -- Or of upsweep and downsweep, the latter: a block has tiles of its own, and an upsweep and its scan have told where its items go.
$ -- Source: Merrill & Grimshaw 2011, "High Performance and Scalable Radix Sorting".
$ -- Or of an MSD hybrid, where a kernel of its own partitions keys that have values by the digits of a window in this way.
$ local looks_back = skips_passes
$ assert(looks_back or strategy == "upsweep_downsweep" or strategy == "split")
$ include "parts/operators"

$ include "sort/digits"

$ if looks_back then
$ include "sort/digit_table"

$ if is_hybrid then
$ include "sort/bucket_table"

$ end
$ else
$ include "sort/bin_table"

$ include "parts/owned_tiles"

$ end
$ include "parts/subgroup"

$ include("parts/block", {turns = 1})

$ include "sort/thread_scan"

$ include "sort/exchange"

$ include(strategy == "split" and "sort/tile_split" or "sort/tile_rank")

$ include("sort/tile_items", {is_ordered = joins_passes})

$ local post = {T = Count, payload_words = function(x) return words_of(count, x) end, from_payload = function(words) return from_words(count,
$     words) end,
$     descriptor_index = function(tile) return ("(%s) * BINS + look.bin"):format(tile) end, looks_for = "uint bin; // of the digit that it counts"}
$ if looks_back then
$ include("parts/posts", post)

$ if joins_passes then
$ include "sort/joined_passes"

$ end
$ end
$ include "sort/route"

$ if looks_back then
$ include("parts/look_back_window", post)

$ end
$ local function divisor(limit)
$     while ROWS % limit ~= 0 do limit = limit - 1 end
$     return limit
$ end
const uint STORE_ROWS = $(divisor(8))u; // read from shared memory, then stored
$ local with_results = results and not is_partition_pass
$ local with_values = with_results and takes_value -- they are stored with values, else with keys
$ local keeps_places = value -- of all rows, for their values: one loop over stores would hold them and the values' addresses at once, and spill
$ -- Inputs and outputs of a pass never share memory (route.tpl): values stay where they are, not in registers, until their places are known.
$ local VALUE_WORDS = 16 -- of a thread's values in flight
$ local value_rows = value and is_value_exchanged == 0 and divisor(math.max(1, VALUE_WORDS // #words_of(value, "x")))
$ if value_rows and value_rows > 1 then
const uint VALUE_ROWS = $(value_rows)u; // of values that are loaded, then stored
$ end

$ if looks_back then
$(shared("uint", "ticket"))
$ end
$(shared(Count, "bin_places", "BINS")) // where a bin's items go, less their rank
$(shared("uint", "first_repeat")) // rank of the first place beyond the last item
$ if looks_back and fallback then
$(shared("uint", "missing_tiles")) // the last that a thread waits for + 1, or 0
$(shared("uint", "missing_counts", "BINS"))
$ end

$ if prefetches and value then
$ include "prefetch"

$ end
$(kernel(is_partition_pass and "sort_partition_pass" or joins_passes and "sort_passes" or "sort_pass"))
{
$ include "parts/begin"
    const $(Index) n = element_count(params.n, params.n_address);
$ include "sort/pass_keys"
$ if one_bin_each then
    const uint bin = thread_id();
$ end
$ if looks_back then
    Starts starts = Starts(address_at(params.scratch, STARTS_OFFSET));
    Posts posts = Posts(spares.descriptors);
    const uint $(joins_passes and "first_tag" or "tag") = launch_tag(params.scratch);
    const uint tiles = tile_count(n);
$ end
$ if joins_passes then
    const uint running = running_passes(params.scratch, params.argument);
    const uint count = count_passes(running);
    uint index = 0u; // of a pass, of those that run
    bool has_ticket = false; // for a tile of a later pass
    uint done = 0u; // tiles of the pass, by this block
    block_barrier_all_memory(); // all have read the tag before one of them ends the launch

$ end
$ enclosed(joins_passes and "for (uint pass = 0u; pass <= PASSES; pass++) {", function()
$ include "sort/pass_route"
    const $(Address) keys_out = route.to_outputs ? keys_out_or_spare : spares.keys;
$ if may_lack_keys then
    const bool moves_keys = !route.is_last || is_given(params.buffers[$(keys_out_index)]);
$ end
$ if value then
$ local values_there = takes_value and "values_out_or_spare" or ("params.buffers[%d]"):format(values_out_index)
$ if takes_value then
    const $(Address) values_out_or_spare = is_given(params.buffers[$(values_out_index)]) ? params.buffers[$(values_out_index)] : spares.more_values;
$ end
    const $(Address) values_in = $(gives_index and "" or ("route.is_first ? params.buffers[%d] : "):format(values_index))route.to_outputs ? spares.values : $(values_there);
    const $(Address) values_out = route.to_outputs ? $(values_there) : spares.values;
    const bool moves_values = $(takes_value and "!route.is_last || " or "")is_given(params.buffers[$(values_out_index)]);
$ end
$ if with_results then
    Results results = $(results.value);
    const bool stores_results = route.is_last && $(results.is_given);
$ end
$ if looks_back then
    const uint first_start = $(is_partition_pass and "(PASSES + pass)" or "min(pass, PASSES - 1u)") * BINS;$(is_partition_pass and "" or " // beyond the last digit: see below")
$ if joins_passes then
    const uint tag = tag_of_pass(first_tag, index);
    const uint first_ticket = index * tiles;
    if (index > 0u) {
        block_barrier_all_memory();
        if (thread_id() == 0u) {
            end_tiles(params.scratch, done);
            wait_for_tiles(params.scratch, first_ticket); // of the passes before
        }
        done = 0u;
        block_barrier_all_memory();
    }

    while (true) {
        // Tiles are taken in the order in which blocks come to run: every tile before this one has been begun.
        if (thread_id() == 0u && !has_ticket) ticket = take_ticket(params.scratch);
        clear_digit_counts();
        block_barrier();
        const uint tile = ticket - first_ticket;
        has_ticket = tile >= tiles;
        if (has_ticket) break;
        done++;
$ else
    const uint rounds = (tiles + block_count() - 1u) / block_count();
    block_barrier_all_memory(); // all have read the tag before one of them ends the launch

    for (uint round = 0u; round < rounds; round++) {
        // Tiles are taken in the order in which blocks come to run: every tile before this one has been begun.
        if (thread_id() == 0u) ticket = take_ticket(params.scratch);
        clear_digit_counts();
        block_barrier();
        const uint tile = ticket;
        if (tile >= tiles) {
            if (thread_id() == 0u) end_launch(params.scratch);
            break;
        }
$ end
$ else
    const TileRange range = owned_tiles(tile_count(n));
    BinTable table = BinTable(params.scratch);
    $(Count) next_place$(bins_each); // of the next items of this thread's $(one_bin_each and "bin" or "bins")
$ enclosed(bins_loop, function()
    next_place$(of_bin) = $(is_bin and is_bin .. " ? " or "")table.at[bin * block_count() + block_id()]$(is_bin and " : 0u" or "");
$ end)

    for (uint tile = range.first; tile < range.end; tile++) {
        clear_digit_counts();
        block_barrier();
$ end
        const $(Index) start = $(Index)(tile) * TILE;
        const uint last = last_place(start, n);
        const uint repeats = TILE - 1u - last;
$ if prefetches and value then
        if (moves_values$(gives_index and " && !route.is_first" or "")) prefetch_all(address_after(values_in, start, $(value.size)u), (last + 1u) * $(value.size)u);
$ end
$ if memory_codec(key).words then
        const TileKeys keys = load_keys(keys_in, $(op_map and "route.is_first, " or "")start, last);
$ else
        TileKeys keys;
        if (last == TILE - 1u$(op_map and " && !route.is_first" or "")) {
            keys = load_whole_keys(keys_in, start);
            subgroup_barrier(); // else compilers would make one way of both
        } else {
            keys = load_keys(keys_in, $(op_map and "route.is_first, " or "")start, last);
        }
$ end
$ if looks_back and not joins_passes then
        if (thread_id() == 0u && round == rounds - 1u) end_launch(params.scratch); // the block takes no ticket any more
$ end
        $(keeps_digits and "const TileDigits digits = " or "")count_digits(keys, digit);
        block_barrier();
        ThreadBins bins = sum_thread_bins();
$ local posts_it = withhold == "block" and "block_id() != 0u" or withhold and ("tile %% %du != %du"):format(withhold, withhold - 1)
$ if looks_back then
$ enclosed(bins_loop, function()
        const uint items = bin == last_digit ? bins.count$(of_bin) - repeats : bins.count$(of_bin);
        if ($(is_bin and is_bin .. " && " or "")tile > 0u$(posts_it and " && " .. posts_it or "")) publish_aggregate(posts, tile * BINS + bin, tag, items);
$ end)
$ end
        bins = place_thread_bins(bins);
        block_barrier();
        $(value and "const TileRanks ranks = " or "")rank_items(keys$(keeps_digits and ", digits" or ""));
$ if value and is_value_exchanged == 1 then
        TileValues values;
        if (moves_values$(with_values and " && !stores_results" or "")$(gives_index and " && !route.is_first" or "")) values = load_values(values_in, start, last);
$ end

$ if looks_back then
$ include "sort/bin_look_back"
$ end
$ enclosed(bins_loop, function()
$ enclosed(is_bin and "if (bin < BINS) {", function()
$ if not looks_back or bins_loop then
        const uint items = bin == last_digit ? bins.count$(of_bin) - repeats : bins.count$(of_bin);
$ end
$ if looks_back then
        $(posts_it and "if (" .. posts_it .. ") " or "")publish_prefix(posts, tile * BINS + bin, tag, look$(of_bin).aggregate + items);
        const $(Count) bin_start = digit.mask == 0u ? 0u : $(Count)(starts.at[first_start + bin]);
        bin_places[bin] = bin_start + look$(of_bin).aggregate - bins.start$(of_bin);
$ else
        bin_places[bin] = next_place$(of_bin) - bins.start$(of_bin);
        next_place$(of_bin) += items;
$ end
        if (bin == last_digit) first_repeat = bins.start$(of_bin) + items;
$ end)
$ end)
        block_barrier();
        const uint end = first_repeat;
$ if with_values and is_value_exchanged == 1 then
$ include "sort/mapped_tile"
$ end
$ enclosed(with_values and is_value_exchanged == 1 and "if (!stores_results) {", function()
$ local place = keeps_places and "places[first + r]" or "places[r]"
$ if keeps_places then
        $(Count) places[ROWS];
$ end
        $(value and "UNROLL" or "ROLL") for (uint first = 0u; first < ROWS; first += STORE_ROWS) {
            $(Key) moved[STORE_ROWS];
$ if not keeps_places then
            $(Count) places[STORE_ROWS];
$ end
            UNROLL for (uint r = 0u; r < STORE_ROWS; r++) {
                const uint rank = (first + r) * BLOCK + thread_id();
                moved[r] = load_exchanged_key(rank);
                $(place) = bin_places[digit_of(moved[r], digit)] + rank;
            }
            subgroup_barrier(); // loads before it, stores after it: compilers would wait for each load
$ local indent = may_lack_keys and "    " or ""
$ if may_lack_keys then
            if (moves_keys) {
$ end
            $(indent)UNROLL for (uint r = 0u; r < STORE_ROWS; r++) {
                $(indent)const uint rank = (first + r) * BLOCK + thread_id();
                $(indent)if (rank - end >= repeats) store_key(Keys(keys_out), $(place), moved[r]);
            $(indent)}
$ if may_lack_keys then
            }
$ end
$ if with_results and not with_values then
            if (stores_results) {
                UNROLL for (uint r = 0u; r < STORE_ROWS; r++) {
                    const uint rank = (first + r) * BLOCK + thread_id();
                    if (rank - end >= repeats) store_result(results, $(place), $(result("moved[r]", nil, place)));
                }
            }
$ end
        }
$ if value and is_value_exchanged == 1 then
        if (moves_values) {
            block_barrier();
$ if gives_index then
            if (route.is_first) { // made here: loops of their own, so that there are no registers for both
                UNROLL for (uint row = 0u; row < ROWS; row++) store_exchanged_value(rank_of(ranks, row), $(index_value("start + row_place(row)")));
            } else {
                UNROLL for (uint row = 0u; row < ROWS; row++) store_exchanged_value(rank_of(ranks, row), values.at[row]);
            }
$ else
            UNROLL for (uint row = 0u; row < ROWS; row++) store_exchanged_value(rank_of(ranks, row), values.at[row]);
$ end
            block_barrier();
            UNROLL for (uint first = 0u; first < ROWS; first += STORE_ROWS) {
                $(Value) moved[STORE_ROWS];
                UNROLL for (uint r = 0u; r < STORE_ROWS; r++) moved[r] = load_exchanged_value((first + r) * BLOCK + thread_id());
                subgroup_barrier();
                UNROLL for (uint r = 0u; r < STORE_ROWS; r++) {
                    const uint rank = (first + r) * BLOCK + thread_id();
                    if (rank - end >= repeats) store_value(Values(values_out), places[first + r], moved[r]);
                }
            }
        }
$ elseif value then
$ local row_start = "bin_places[digit_of(keys.at[row], digit)] + rank_of(ranks, row)"
$ enclosed(not with_values and "if (moves_values) {", function()
        Values tile_values = Values(address_after(values_in, start, $(value.size)u));
$ if value_rows > 1 then
        UNROLL for (uint first = 0u; first < ROWS; first += VALUE_ROWS) {
            $(Value) moved[VALUE_ROWS];
            UNROLL for (uint r = 0u; r < VALUE_ROWS; r++) moved[r] = load_value(tile_values, min(row_place(first + r), last));
            subgroup_barrier();
$ enclosed(with_values and "if (moves_values) {", function()
            UNROLL for (uint r = 0u; r < VALUE_ROWS; r++) {
                const uint row = first + r;
                const $(Count) place = $(row_start);
                if (row_place(row) <= last) store_value(Values(values_out), place, moved[r]);
            }
$ end)
$ if with_values then
            if (stores_results) {
                UNROLL for (uint r = 0u; r < VALUE_ROWS; r++) {
                    const uint row = first + r;
                    const $(Count) place = $(row_start);
                    if (row_place(row) <= last) store_result(results, place, $(result("keys.at[row]", "moved[r]", "place")));
                }
            }
$ end
        }
$ else
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const $(Count) place = $(row_start);
$ if with_values then
            const $(Value) moved = load_value(tile_values, min(row_place(row), last));
            if (row_place(row) <= last && moves_values) store_value(Values(values_out), place, moved);
            if (row_place(row) <= last && stores_results) store_result(results, place, $(result("keys.at[row]", "moved", "place")));
$ else
            if (row_place(row) <= last) store_value(Values(values_out), place, load_value(tile_values, row_place(row)));
$ end
        }
$ end
$ end)
$ end
$ end)
        block_barrier();
    }
$ if joins_passes then
    index++;
$ end
$ end)
$ if joins_passes then
    if (thread_id() == 0u) end_passes(params.scratch, index);
$ end
}
