$ -- Counts the digits of all passes, in one read of the keys.
$ -- A block counts in shared memory, in COPIES histograms that its lanes take in turns, and adds what it has to the one in the scratch.
$ assert(ITEMS % VECTOR == 0 and BLOCK % LANES == 0)
$ include "parts/operators"

$ include "sort/digits"

$ include "parts/counters"

$ include "sort/digit_table"

$ if is_hybrid then
$ include "sort/bucket_table"

$ end
$ if can_ping_pong then
$ include "sort/old_keys"

$ include "sort/clear_old_keys"

$ end
$ include("memory", {array = "In", group = "Inputs", type = input, reads = true, writes = false})

const uint GROUPS = $(ITEMS // VECTOR)u; // of VECTOR items, of a thread and tile
const uint BATCH = $(batch)u; // groups that a thread reads together

// Of a bin, in COPIES copies.
$(launch_shared("counts", counter_words .. "u"))
$ include("sort/digit_counts", {digit_words = "counts"})

$(kernel("sort_histogram"))
{
$ include "parts/begin"
    const $(Index) n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    const bool is_aligned = is_vector_aligned(params.buffers[0]);
    const $(Index) tiles = (n + (TILE - 1u)) / TILE;

$ if is_hybrid then
    if ((params.argument & ALONE) == 0u && (is_partitioned(params.scratch, n, params.argument) || is_skewed_by_sample(params.scratch))) return;
$ end
$ if can_ping_pong then
    if (params.argument >= PING_PONG$(is_hybrid and " && (params.argument & ALONE) != 0u" or "")) clear_old_keys(params.scratch, $(launch_n));
$ end
$ include("sort/counted_digits", {digit_words = "counts", by_item = false, in_turn = false})
}
