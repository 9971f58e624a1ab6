$ -- Counts a digit of the items that each block is to move.
$ -- Source: Merrill & Grimshaw 2011, "High Performance and Scalable Radix Sorting".
$ include "parts/operators"

$ include "sort/digits"

$ include "sort/bin_table"

$ include "parts/owned_tiles"

$ include "sort/exchange"

$ include(strategy == "split" and "sort/tile_split" or "sort/tile_rank")

$ include "sort/tile_items"

$ include "sort/route"

$(kernel("sort_upsweep"))
{
$ include "parts/begin"
    const $(Index) n = element_count(params.n, params.n_address);
$ include "sort/pass_keys"
$ include "sort/pass_route"
    const uint tiles = tile_count(n);
    const TileRange range = owned_tiles(tiles);

    clear_digit_counts();
    block_barrier();
    for (uint tile = range.first; tile < range.end; tile++) {
        const $(Index) start = $(Index)(tile) * TILE;
        count_digits(load_keys(keys_in, $(op_map and "route.is_first, " or "")start, last_place(start, n)), digit);
    }
    block_barrier();
    // Places beyond the last item have been counted, too.
    const uint repeats = range.first < range.end && range.end == tiles ? uint($(Index)(tiles) * TILE - n) : 0u;
    const ThreadBins bins = sum_thread_bins();
    BinTable table = BinTable(params.scratch);
$ if one_bin_each then
    const uint bin = thread_id();
$ end
$ enclosed(bins_loop, function()
    uint count = bins.count$(of_bin);
    if (repeats > 0u && bin == last_digit) count -= repeats;
    $(if_bin)table.at[bin * block_count() + block_id()] = count;
$ end)
}
