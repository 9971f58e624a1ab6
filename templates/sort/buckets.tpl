$ -- Scans the counts of the buckets (or of digits, where those have been counted): where each begins, where the keys of each of the window's digits do, how large the largest is, and which
$ -- buckets a block may sort together. A row has the buckets of one upper digit; a block has rows of its own, and adds up those before them.
$ include "parts/operators"

$ include "sort/digits"

$ include "parts/counters"

$ include "sort/digit_table"

$ include "sort/bucket_table"

$ include "sort/bucket_groups"

$ if can_ping_pong then
$ include "sort/old_keys"

$ end
$ if keys_are_images == 1 then
$ include "sort/bucket_rooms"

$ end

$ include "parts/subgroup"

$ include("parts/block", {turns = 1})

$ include "sort/thread_scan"

$ if not one_bin_each then
const uint THREAD_BINS = (BINS + BLOCK - 1u) / BLOCK; // consecutive ones of a thread

$ end
$ if one_bin_each then
const uint ROWS_AT_ONCE = 8u; // counts that a thread loads before it adds them up

$ end
$(shared("uint", "has_one_bin"))
$(shared("uint", "largest"))
$(shared("uint", "row_end")) // where the next row begins

$(kernel("sort_buckets"))
{
$ include "parts/begin"
    BucketTotals totals = BucketTotals(address_at(params.scratch, BUCKET_TOTALS_OFFSET));
    Starts starts = Starts(address_at(params.scratch, STARTS_OFFSET));
    const $(Index) n = element_count(params.n, params.n_address);
$ if can_ping_pong then
$ include "sort/noted_keys"
$ end
$ enclosed("if (totals.at[IS_SKEWED] != 0u) {", function()
$ include "sort/scanned_digits"
    return;
$ end)
    const uint merged_items = group_items(n);
    const uint window_bits = window_bits_of(n);
    const uint rows = half_bins(window_bits, 1u);
    const uint bins = half_bins(window_bits, 0u); // columns
    const uint share = (rows + block_count() - 1u) / block_count();
    const uint first_row = min(block_id() * share, rows);
    const uint end_row = min(first_row + share, rows);
    if (first_row == end_row) return;
    BucketCounts counts = BucketCounts(address_at(params.scratch, BUCKET_COUNTS_OFFSET));
    const uint first_count = (1u - bucket_turn(params.scratch)) * BUCKETS; // the next sort's turn begins when the keys have been counted
    BucketStarts bucket_starts = BucketStarts(address_at(params.scratch, BUCKET_STARTS_OFFSET));
    BucketGroups groups = BucketGroups(address_at(params.scratch, BUCKET_GROUPS_OFFSET));
$ if keys_are_images == 1 then
    Rooms part_rooms = Rooms(address_at(params.scratch, PART_ROOMS_OFFSET));
    Rooms bucket_rooms = Rooms(address_at(params.scratch, BUCKET_ROOMS_OFFSET));
$ end
$ if one_bin_each then
    const uint bin = thread_id();
    uint column = 0u; // keys of this thread's lower digit, in the rows before
    for (uint first = 0u; first < first_row; first += ROWS_AT_ONCE) {
        UNROLL for (uint row = first; row < first + ROWS_AT_ONCE; row++) column += row < first_row && bin < bins ? counts.at[first_count + row * bins + bin] : 0u;
    }
    const uint column_sum = column;
$ else
    uint column[THREAD_BINS]; // keys of this thread's lower digits, in the rows before
    uint column_sum = 0u;
$ enclosed(bins_loop, function()
    column[b] = 0u;
    for (uint row = 0u; row < first_row; row++) column[b] += bin < bins ? counts.at[first_count + row * bins + bin] : 0u;
    column_sum += column[b];
$ end)
$ end
    if (thread_id() == 0u) largest = 0u;
    const uint columns_before = thread_scan(column_sum);
    if (thread_id() == BLOCK - 1u) row_end = columns_before + column_sum;
    block_barrier();

    for (uint row = first_row; row < end_row; row++) {
        const uint row_start = row_end;
$ if not one_bin_each then
        uint count[THREAD_BINS];
        uint sum = 0u;
$ end
$ enclosed(bins_loop, function()
        $(one_bin_each and "const uint count" or "count[b]") = bin < bins ? counts.at[first_count + row * bins + bin] : 0u;
$ if not one_bin_each then
        sum += count[b];
$ end
$ end)
        uint start = row_start + thread_scan($(one_bin_each and "count" or "sum"));
        uint most = 0u;
$ enclosed(bins_loop, function()
$ enclosed("if (bin < bins) {", function()
        const uint bucket = row * bins + bin;
        const uint end = start + count$(of_bin);
        bucket_starts.at[bucket] = start;
$ if keys_are_images == 1 then
        bucket_rooms.at[bucket] = start;
$ end
        if (bucket == rows * bins - 1u) bucket_starts.at[rows * bins] = end;
        // The first bucket that begins where a group may, or behind that.
        const uint group = end / merged_items;
        if (group * merged_items > start && group <= rows * bins) groups.at[group] = bucket + 1u;
        if (bucket == 0u) groups.at[0] = 0u;
        if (count$(of_bin) > most) most = count$(of_bin);
        column$(of_bin) += count$(of_bin);
        start = end;
$ end)
$ end)
        $(shared_max("largest", "most"));
        block_barrier();
        if (thread_id() == 0u) {
            starts.at[(PASSES + 1u) * BINS + row] = row_start;
$ if keys_are_images == 1 then
            part_rooms.at[row * ROOM_WORDS] = row_start;
$ end
        }
        if (thread_id() == BLOCK - 1u) row_end = start;
        block_barrier();
    }
    if (thread_id() == 0u) $(device_max("totals.at[LARGEST]", "largest"));
    if (end_row == rows) {
        if (thread_id() == 0u) totals.at[COUNTED] = row_end;
$ if one_bin_each then
        uint place = thread_scan(column);
$ else
        uint sum = 0u;
        UNROLL for (uint b = 0u; b < THREAD_BINS; b++) sum += column[b];
        uint place = thread_scan(sum);
$ end
$ enclosed(bins_loop, function()
        if (bin < bins) starts.at[PASSES * BINS + bin] = place;
$ if not one_bin_each then
        place += column[b];
$ end
$ end)
    }
}
