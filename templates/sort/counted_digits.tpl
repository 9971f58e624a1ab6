$ -- Lines of a kernel that counts the digits of all passes, in one read of the keys. A block adds what it has counted to the histogram in the scratch.
$ -- Told: digit_words, as digit_counts.tpl is; by_item and in_turn, as counted_tiles.tpl.
    for (uint i = thread_id(); i < PASSES * BINS * COPIES; i += BLOCK) $(digit_words)[i] = 0u;
    block_barrier();
$ include("sort/counted_tiles", {count = function(key) return ("count_digits(%s);"):format(key) end, by_item = by_item, in_turn = in_turn, by_share = false})
    const uint digits_turn = sort_turn(params.scratch); // not kept in registers while keys are counted
    const uint first_digit = digits_turn * (PASSES * BINS);
    block_barrier_all_memory();
    uint others = 0u;
    if (thread_id() == 0u) others = finish_block(params.scratch); // no thread of the block reads the turn any more
    Histogram histogram = Histogram(address_at(params.scratch, HISTOGRAM_OFFSET));
$ if has_long_loops then
    for (uint bin = thread_id(); bin < PASSES * BINS; bin += BLOCK) {
        uint count = 0u;
        UNROLL for (uint copy = 0u; copy < COPIES; copy++) count += $(digit_words)[bin * COPIES + (copy + lane_id()) % COPIES];
        if (count != 0u) $(device_add("histogram.at[first_digit + bin]", "count"));
    }
$ else
$ -- llvmpipe loses threads that leave such loops before others do: all go through them as often.
    for (uint least = 0u; least < PASSES * BINS; least += BLOCK) {
        const uint bin = least + thread_id();
        uint count = 0u;
        if (bin < PASSES * BINS) {
            UNROLL for (uint copy = 0u; copy < COPIES; copy++) count += $(digit_words)[bin * COPIES + (copy + lane_id()) % COPIES];
        }
        if (count != 0u) $(device_add("histogram.at[first_digit + bin]", "count"));
    }
$ end
    // The next sort finds the other one zero, whether or not the launches that were to follow this one do.
$ if has_long_loops then
    for (uint bin = block_id() * BLOCK + thread_id(); bin < PASSES * BINS; bin += block_count() * BLOCK) histogram.at[PASSES * BINS - first_digit + bin] = 0u;
$ else
    for (uint least = block_id() * BLOCK; least < PASSES * BINS; least += block_count() * BLOCK) {
        const uint bin = least + thread_id();
        if (bin < PASSES * BINS) histogram.at[PASSES * BINS - first_digit + bin] = 0u;
    }
$ end
    if (thread_id() == 0u && is_last_block(params.scratch, others)) end_turn(params.scratch, digits_turn);
