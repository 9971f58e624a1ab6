$ -- Scans the counts of the values: where the first key of each goes. A block adds up what comes before its own values.
$ include "parts/operators"

$ include "sort/digits"

$ include "parts/counters"

$ include "sort/value_table"

$ include "parts/subgroup"

$ include("parts/block", {turns = 1})

$ include "sort/thread_scan"

const uint VALUE_ROWS = (VALUES + BLOCK - 1u) / BLOCK; // of a value for each thread

$(shared(T, "row_start")) // where the keys of the row's first value begin

$(kernel("sort_value_starts"))
{
$ include "parts/begin"
    ValueCounts counts = ValueCounts(address_at(params.scratch, VALUE_COUNTS_OFFSET));
    ValueStarts starts = ValueStarts(address_at(params.scratch, VALUE_STARTS_OFFSET));
    const uint first_count = (1u - bucket_turn(params.scratch)) * VALUES; // the next sort's turn begins when the keys have been counted
    const uint share = (VALUE_ROWS + block_count() - 1u) / block_count(); // rows of a block
    const uint first_row = min(block_id() * share, VALUE_ROWS);
    const uint end_row = min(first_row + share, VALUE_ROWS);
    $(T) earlier = 0u; // keys of the rows before, in this thread's column
    for (uint row = 0u; row < first_row; row++) earlier += counts.at[first_count + row * BLOCK + thread_id()];
    const $(T) columns = thread_scan(earlier);
    if (thread_id() == BLOCK - 1u) row_start = columns + earlier;
    for (uint row = first_row; row < end_row; row++) {
        block_barrier();
        const uint value = row * BLOCK + thread_id();
        const $(T) before = row_start;
        const $(T) count = value < VALUES ? counts.at[first_count + value] : 0u;
        const $(T) start = before + thread_scan(count);
        if (value < VALUES) starts.at[value] = start;
        block_barrier();
        if (thread_id() == BLOCK - 1u) row_start = start + count;
    }
}
