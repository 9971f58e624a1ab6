$ -- The order of a tile's items by one digit: counts of the digits, then each item's rank, its place in the sorted tile.
$ -- A subgroup owns ROWS rows of LANES consecutive items, a lane one item of each. Places beyond the last item repeat its key: in the sorted
$ -- tile they stand together, behind that item's digit's others; or, where spares_last, they have the greatest digit and stay behind all items. Where
$ -- rows_vary a tile has no more rows than its items ask for.
$ -- Sources: Adinets & Merrill 2022, "Onesweep"; ranks by ballots: Ashkiani et al. 2016, "GPU Multisplit".
$ assert(BLOCK % LANES == 0)
$ include "match"

$ include "sort/tile_bins"

const uint SUBGROUPS = $(SUBGROUPS)u; // of a block
const uint RANK_ROWS = $(ROWS % 4 == 0 and 4 or ROWS % 3 == 0 and 3 or ROWS % 2 == 0 and 2 or 1)u; // ranked together, so that their latencies overlap

$ -- Rows of keys alone, which have no ranks to keep, go through one text 8 at a time: compilers take longer for all of them than GPUs do for
$ -- moving the keys up.
$ local in_parts = not value and not keeps_digits and ROWS > (rows_vary and 16 or 8) and ROWS % 8 == 0
$ local ranked = in_parts and "left" or "keys"
$ if in_parts then
const uint PART_ROWS = 8u; // ranked by one text
$ end
$ local takes_items = spares_last and ", uint items" .. takes_rows or ""

// Two to a word: a tile has at most 65536 items.
struct TileRanks {
    uint pairs[(ROWS + 1u) / 2u];
};

uint rank_of(TileRanks ranks, uint row)
{
    return ranks.pairs[row / 2u] >> (row % 2u * 16u) & 0xffffu;
}

// Of a subgroup's items by digit: how many, then the rank of the next. Behind them a place for each lane.
$(launch_shared("digit_counts", "SUBGROUPS * BINS + LANES", "moved_words", exchange_size))
$ if not keeps_digits then
$(shared("Digit", "ranked_digit"))
$ end

$ if rows_vary then
$ local step = in_parts and "PART_ROWS" or "RANK_ROWS"
// The rows that a tile of this number of items needs, rounded up to those that are ranked together.
uint rows_of(uint items)
{
    return (items + ($(step) * BLOCK - 1u)) / ($(step) * BLOCK) * $(step);
}

$ end
uint row_place(uint row$(takes_rows))
{
    return subgroup_id() * ($(rows_vary and "rows" or "ROWS") * LANES) + lane_id() + row * LANES;
}
$ local function row_digit(key, row)
$     return spares_last and ("row_digit(%s, row_place(%s%s), items, digit)"):format(key, row, of_rows) or ("digit_of(%s, digit)"):format(key)
$ end
$ if spares_last then

// The digit of the key at a place; behind all items the greatest.
uint row_digit($(Key) key, uint place, uint items, Digit digit)
{
    return place < items ? digit_of(key, digit) : BINS - 1u;
}
$ end

$ -- llvmpipe loses track of threads that leave out a round of a loop that is in another, which has barriers.
// A barrier must follow. Every thread goes through the loop as often.
void clear_digit_counts()
{
    UNROLL for (uint first = 0u; first < SUBGROUPS * BINS + LANES; first += BLOCK) {
        if (first + thread_id() < SUBGROUPS * BINS + LANES) digit_counts[first + thread_id()] = 0u;
    }
}

$ if keeps_digits then
const uint SLOT_BITS = $(digit_bits <= 8 and 8 or 16)u; // of a digit that is kept
const uint WORD_DIGITS = 32u / SLOT_BITS;

// A lane's digits, as they are counted: images take longer to make again.
struct TileDigits {
    uint words[(ROWS + WORD_DIGITS - 1u) / WORD_DIGITS];
};

uint kept_digit(TileDigits digits, uint row)
{
    return digits.words[row / WORD_DIGITS] >> (row % WORD_DIGITS * SLOT_BITS) & (BINS - 1u);
}

$ end
// A barrier must follow.
$(keeps_digits and "TileDigits" or "void") count_digits(TileKeys keys, Digit digit$(takes_items))
{
$ if keeps_digits then
    TileDigits digits;
    UNROLL for (uint word = 0u; word < (ROWS + WORD_DIGITS - 1u) / WORD_DIGITS; word++) digits.words[word] = 0u;
    $(for_rows){
        const uint bin = $(row_digit("keys.at[row]", "row"));
        digits.words[row / WORD_DIGITS] |= bin << (row % WORD_DIGITS * SLOT_BITS);
        $(shared_add("digit_counts[subgroup_id() * BINS + bin]", "1u"));
    }
$ if not spares_last then
    if (thread_id() == BLOCK - 1u) last_digit = kept_digit(digits, ROWS - 1u);
$ end
    return digits;
$ else
    $(for_rows)$(shared_add(("digit_counts[subgroup_id() * BINS + %s]"):format(row_digit("keys.at[row]", "row")), "1u"));
$ if spares_last then
    if (thread_id() == BLOCK - 1u) ranked_digit = digit;
$ else
    if (thread_id() == BLOCK - 1u) {
        last_digit = digit_of(keys.at[ROWS - 1u], digit);
        ranked_digit = digit;
    }
$ end
$ end
}

uint sum_counts(uint bin)
{
    uint count = 0u;
    UNROLL for (uint subgroup = 0u; subgroup < SUBGROUPS; subgroup++) count += digit_counts[subgroup * BINS + bin];
    return count;
}

// The counts of this thread's $(one_bin_each and "bin" or "bins").
ThreadBins sum_thread_bins()
{
    ThreadBins bins;
$ if one_bin_each then
    const uint bin = thread_id();
$ end
$ enclosed(bins_loop, function()
    bins.count$(of_bin) = $(is_bin and is_bin .. " ? sum_counts(bin) : 0u" or "sum_counts(bin)");
    bins.start$(of_bin) = 0u;
$ end)
    return bins;
}

// Turns counts into ranks. The whole block calls it; a barrier must follow.
ThreadBins place_thread_bins(ThreadBins bins)
{
$ if one_bin_each then
    const uint bin = thread_id();
    uint rank = thread_scan(bins.count);
$ else
    uint sum = 0u;
    UNROLL for (uint b = 0u; b < THREAD_BINS; b++) sum += bins.count[b];
    uint rank = thread_scan(sum);
$ end
$ enclosed(bins_loop, function()
    bins.start$(of_bin) = rank;
$ enclosed(is_bin and "if (bin < BINS) {", function()
    UNROLL for (uint subgroup = 0u; subgroup < SUBGROUPS; subgroup++) {
        const uint count = digit_counts[subgroup * BINS + bin];
        digit_counts[subgroup * BINS + bin] = rank;
        rank += count;
    }
$ end)
$ end)
    return bins;
}

// Ranks $(value and "of this lane's items, whose keys go there" or "this lane's items, and moves their keys there") in shared memory.
$(value and "TileRanks" or "void") rank_items(TileKeys keys$(keeps_digits and ", TileDigits digits" .. takes_rows or takes_items))
{
$ if not keeps_digits then
    const Digit digit = ranked_digit; // read anew, so that digits are computed again: compilers would keep those that were counted in registers
$ end
$ if value then
    TileRanks ranks;
$ -- Cleared first: a choice for each row takes SwiftShader's compiler exponential time.
    UNROLL for (uint pair = 0u; pair < (ROWS + 1u) / 2u; pair++) ranks.pairs[pair] = 0u;
$ end
$ if in_parts then
    TileKeys left = keys; // those of the next part come first
$ end
$ enclosed(in_parts and "ROLL for (uint part = 0u; part < " .. (rows_vary and "rows" or "ROWS") .. " / PART_ROWS; part++) {", function()
    UNROLL for (uint first = 0u; first < $(in_parts and "PART_ROWS" or "ROWS"); first += RANK_ROWS) $(rows_vary and not in_parts and "if (first < rows) " or ""){
        uint counters[RANK_ROWS];
        Peers peers[RANK_ROWS];
        uint ranks_of_leaders[RANK_ROWS];
        UNROLL for (uint r = 0u; r < RANK_ROWS; r++) {
            const uint bin = $(keeps_digits and "kept_digit(digits, first + r)" or row_digit(ranked .. ".at[first + r]", (in_parts and "part * PART_ROWS + " or "") .. "first + r"));
            peers[r] = match_digit(bin);
            counters[r] = peers[r].last == lane_id() ? subgroup_id() * BINS + bin : SUBGROUPS * BINS + lane_id();
        }
        // The last lane of those that have a digit counts for all. The others, instead of going another way, add to a place that means nothing.
        UNROLL for (uint r = 0u; r < RANK_ROWS; r++) {
            ranks_of_leaders[r] = $(shared_add("digit_counts[counters[r]]", "peers[r].before + 1u"));
            subgroup_barrier();
        }
        UNROLL for (uint r = 0u; r < RANK_ROWS; r++) {
            const uint row = first + r;
            const uint rank = shuffle(ranks_of_leaders[r], peers[r].last) + peers[r].before;
            store_exchanged_key(rank, $(ranked).at[row]);
$ if value then
            ranks.pairs[row / 2u] |= rank << (row % 2u * 16u);
$ end
        }
    }
$ if in_parts then
    UNROLL for (uint row = PART_ROWS; row < ROWS; row++) left.at[row - PART_ROWS] = left.at[row];
$ end
$ end)
$ if value then
    return ranks;
$ end
}
