$ -- The order of a tile's items by one bit, as textbooks have it. For teaching, and to test other ways to rank against.
$ -- A thread owns ROWS consecutive items. Places beyond the last item repeat its key: they stand behind that digit's others.
$ -- Source: Blelloch 1990, "Prefix Sums and Their Applications".
$ assert(digit_bits == 1)
$ include "sort/tile_bins"

// The bits of a thread's items.
struct TileDigits {
    uint at[ROWS];
};

struct TileRanks {
    uint at[ROWS];
};

uint rank_of(TileRanks ranks, uint row)
{
    return ranks.at[row];
}

$(shared("uint", "digit_counts", "BINS")) // the tile's zeros and ones

uint row_place(uint row)
{
    return thread_id() * ROWS + row;
}

// A barrier must follow.
void clear_digit_counts()
{
    if (thread_id() == 0u) {
        digit_counts[0] = 0u;
        digit_counts[1] = 0u;
    }
}

uint count_ones(TileDigits digits)
{
    uint ones = 0u;
    UNROLL for (uint row = 0u; row < ROWS; row++) ones += digits.at[row];
    return ones;
}

// A barrier must follow.
TileDigits count_digits(TileKeys keys, Digit digit)
{
    TileDigits digits;
    UNROLL for (uint row = 0u; row < ROWS; row++) digits.at[row] = digit_of(keys.at[row], digit);
    const uint ones = count_ones(digits);
    $(shared_add("digit_counts[0]", "ROWS - ones"));
    $(shared_add("digit_counts[1]", "ones"));
    if (thread_id() == BLOCK - 1u) last_digit = digits.at[ROWS - 1u];
    return digits;
}

ThreadBins sum_thread_bins()
{
    ThreadBins bins;
$ if one_bin_each then
    const uint bin = thread_id();
$ end
$ enclosed(bins_loop, function()
    bins.count$(of_bin) = $(is_bin and is_bin .. " ? digit_counts[bin] : 0u" or "digit_counts[bin]");
    bins.start$(of_bin) = 0u;
$ end)
    return bins;
}

// Zeros first.
ThreadBins place_thread_bins(ThreadBins bins)
{
    const uint zeros = digit_counts[0];
$ if one_bin_each then
    const uint bin = thread_id();
$ end
$ enclosed(bins_loop, function()
    bins.start$(of_bin) = bin == 1u ? zeros : 0u;
$ end)
    return bins;
}

// Ranks of this thread's items, whose keys go there in shared memory: one scan tells how many ones come before an item. A one stands behind
// all zeros and those, a zero moves up by as many places. The whole block calls it.
TileRanks rank_items(TileKeys keys, TileDigits digits)
{
    const uint zeros = digit_counts[0];
    uint ones_before = thread_scan(count_ones(digits));
    TileRanks ranks;
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const uint rank_of_one = zeros + ones_before;
        const uint rank_of_zero = row_place(row) - ones_before;
        ranks.at[row] = digits.at[row] != 0u ? rank_of_one : rank_of_zero;
        ones_before += digits.at[row];
        store_exchanged_key(ranks.at[row], keys.at[row]);
    }
    return ranks;
}
