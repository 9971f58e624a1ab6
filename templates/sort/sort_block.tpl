$ -- Sorts what is one tile at most, in one launch: a digit after another, the lowest first, the keys between two digits in registers.
$ -- Values stay where they are until the end: each key carries its place.
$ assert(strategy == "single_block")
$ include "parts/operators"

$ include "sort/digits"

$ include "parts/subgroup"

$ include("parts/block", {turns = 1})

$ include "sort/thread_scan"

$ include "sort/exchange"

$ include "sort/tile_rank"

$ include("sort/tile_items", {is_ordered = true})

$ if value then
struct TilePlaces {
    uint at[ROWS];
};

$ end
$(shared("uint", "first_repeat")) // rank of the first place beyond the last item
$(shared("uint", "is_settled")) // 1: all keys have the same digit

// The rank of the item that takes a place, `end` being the first repeat's: repeats stay behind all items.
uint rank_at(uint place, uint last, uint end)
{
    const uint item = min(place, last);
    return item < end ? item : item + (TILE - 1u - last);
}

$(kernel("sort_single_block"))
{
    const uint n = uint(element_count(params.n, params.n_address));
    if (n == 0u) return;
    const uint last = n - 1u;
    const $(Address) keys_out = params.buffers[$(keys_out_index)];
    TileKeys keys = load_keys(params.buffers[0], $(op_map and "true, " or "")0u, last);
$ if value then
    const $(Address) values_out = params.buffers[$(values_out_index)];
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

$ if value then
    TileValues values;
$ if gives_index then
    UNROLL for (uint row = 0u; row < ROWS; row++) values.at[row] = $(index_value(Index .. "(places.at[row])"));
$ else
    if (is_given(values_out)) {
        UNROLL for (uint row = 0u; row < ROWS; row++) values.at[row] = load_value(Values(params.buffers[$(values_index)]), places.at[row]);
    }
$ end
$ end
    block_barrier_all_memory(); // outputs may be inputs: nothing is stored until all is loaded
    if (is_given(keys_out)) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            if (row_place(row) <= last) store_key(Keys(keys_out), row_place(row), keys.at[row]);
        }
    }
$ if value then
    if (is_given(values_out)) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            if (row_place(row) <= last) store_value(Values(values_out), row_place(row), values.at[row]);
        }
    }
$ end
}
