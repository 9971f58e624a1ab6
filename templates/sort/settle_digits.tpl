$ -- Lines of such a kernel (settled_tile.tpl): sorts `keys` by all digits, the lowest first, and of items with values tells their places; `last` is
$ -- the last item's.
$ if value then
    TilePlaces places;
    UNROLL for (uint row = 0u; row < ROWS; row++) places.at[row] = min(row_place(row), last);
$ end

    for (uint pass = 0u; pass < PASSES; pass++) {
        const Digit digit = digit_of_pass(pass);
        clear_digit_counts();
        block_barrier();
        $(keeps_digits and "const TileDigits digits = " or "")count_digits(keys, digit);
        block_barrier();
        const ThreadBins bins = place_thread_bins(sum_thread_bins());
$ if one_bin_each then
        const uint bin = thread_id();
$ end
$ enclosed(bins_loop, function()
        if (bin == last_digit) {
            first_repeat = bins.start$(of_bin) + bins.count$(of_bin) - (TILE - 1u - last);
            is_settled = bins.count$(of_bin) == TILE ? 1u : 0u;
        }
$ end)
        block_barrier();
        if (is_settled == 0u) {
            const uint end = first_repeat;
            $(value and "const TileRanks ranks = " or "")rank_items(keys$(keeps_digits and ", digits" or ""));
            block_barrier();
            UNROLL for (uint row = 0u; row < ROWS; row++) keys.at[row] = load_exchanged_key(rank_at(row_place(row), last, end));
$ if value then
            block_barrier();
            UNROLL for (uint row = 0u; row < ROWS; row++) store_exchanged_place(rank_of(ranks, row), places.at[row]);
            block_barrier();
            UNROLL for (uint row = 0u; row < ROWS; row++) places.at[row] = load_exchanged_place(rank_at(row_place(row), last, end));
$ end
        }
    }
