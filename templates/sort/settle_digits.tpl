$ -- Lines of such a kernel (settled_tile.tpl): sorts `keys` by all digits, the lowest first, and of items with values tells their places; `items` are
$ -- the tile's, and `rows` where rows_vary.
$ local of_items = ", items" .. of_rows
$ if value then
    TilePlaces places;
    $(for_rows)places.at[row] = min(row_place(row$(of_rows)), items - 1u);
$ end

    for (uint pass = 0u; pass < PASSES; pass++) {
        const Digit digit = digit_of_pass(pass);
        clear_digit_counts();
        block_barrier();
        if (thread_id() == 0u) is_settled = 0u;
        $(keeps_digits and "const TileDigits digits = " or "")count_digits(keys, digit$(of_items));
        block_barrier();
        const ThreadBins bins = place_thread_bins(sum_thread_bins());
$ if one_bin_each then
        const uint bin = thread_id();
$ end
$ local all = rows_vary and "BLOCK * rows" or "TILE"
$ enclosed(bins_loop, function()
        if (bins.count$(of_bin) == (bin == BINS - 1u ? $(all) : items)) is_settled = 1u;
$ end)
        block_barrier();
        if (is_settled == 0u) {
            $(value and "const TileRanks ranks = " or "")rank_items(keys$(keeps_digits and ", digits" .. of_rows or of_items));
            block_barrier();
            $(for_rows)keys.at[row] = load_exchanged_key(row_place(row$(of_rows)));
$ if value then
            block_barrier();
            $(for_rows)store_exchanged_place(rank_of(ranks, row), places.at[row]);
            block_barrier();
            $(for_rows)places.at[row] = load_exchanged_place(row_place(row$(of_rows)));
$ end
        }
    }
