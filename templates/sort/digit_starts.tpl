$ -- Scans the histogram of every pass: where the keys of a bin go. The next sort counts in another.
$ include "parts/operators"

$ include "sort/digits"

$ include "parts/counters"

$ include "sort/digit_table"

$ if is_hybrid then
$ include "sort/bucket_table"

$ end
$ if can_ping_pong then
$ include "sort/old_keys"

$ end
$ include "parts/subgroup"

$ include("parts/block", {turns = 1})

$ include "sort/thread_scan"

$ if not one_bin_each then
const uint THREAD_BINS = (BINS + BLOCK - 1u) / BLOCK; // consecutive ones of a thread

$ end
$(shared("uint", "has_one_bin"))

$(kernel("sort_starts"))
{
$ include "parts/begin"
    const $(Index) n = element_count(params.n, params.n_address);
    Starts starts = Starts(address_at(params.scratch, STARTS_OFFSET));
$ if is_hybrid then
    if ((params.argument & ALONE) == 0u && (is_partitioned(params.scratch, n, params.argument) || is_skewed_by_sample(params.scratch))) return;
$ end
$ include "sort/scanned_digits"
$ if can_ping_pong then
$ if is_hybrid then
    if ((params.argument & ALONE) == 0u) return; // those before have noted it
$ end
$ include "sort/noted_keys"
$ end
}
